import { join } from 'node:path'
import { type DatabaseNode, signalAll } from '../../scripts/cluster/databaseCluster.ts'
import { until } from '../fake/aglet.ts'
import { type MountedDisk, mountLoopDisk, whyNot } from '../fault/disk.ts'
import { hasEnded } from './processState.ts'

/** The disks of the nodes, each a file system of its own. */
export type ClusterDisks = {
  mountDisk(name: string, at: string): void
  of(node: DatabaseNode): MountedDisk
  /** These machines lose their power at the same time: what was written and not synced is gone. Then they start. */
  losePower(nodes: readonly DatabaseNode[]): Promise<void>
}

const diskMb = 700
const endMs = 20_000

/** Why the nodes have no disks of their own here; false where they have. */
export const whyNoDisks = whyNot.ext4()

export function openClusterDisks(): ClusterDisks {
  const disks = new Map<string, MountedDisk>()
  const of = ({ name }: DatabaseNode) => disks.get(name)!
  return {
    mountDisk: (name, at) =>
      void disks.set(name, mountLoopDisk('ext4', { at, image: join(at, '../image'), mb: diskMb })),
    of,
    async losePower(nodes) {
      const pids = nodes.flatMap((node) => node.pids())
      // A sync that is under way may return as if it were done: nobody lives to tell of it.
      signalAll(pids, 'SIGSTOP')
      for (const node of nodes) of(node).cut()
      signalAll(pids, 'SIGKILL')
      await until(() => pids.every(hasEnded), endMs)
      for (const node of nodes) {
        of(node).restore()
        node.start()
      }
    },
  }
}
