import { join } from 'node:path'
import { type DatabaseNode, signalAll } from '../../scripts/cluster/databaseCluster.ts'
import { until } from '../fake/aglet.ts'
import { type MountedDisk, mountLoopDisk, whyNot } from '../fault/disk.ts'
import { hasEnded } from './processState.ts'

/** The disks of the nodes, each with its own file system. */
export type ClusterDisks = {
  mountDisk(name: string, at: string): void
  of(node: DatabaseNode): MountedDisk
  /** Cuts the power of these machines at once: unsynced writes are lost. Then starts them. */
  losePower(nodes: readonly DatabaseNode[]): Promise<void>
}

const diskMb = 700
const endMs = 20_000

/** Why the nodes cannot have their own disks here; false if they can. */
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
      // A sync in progress may return successfully, so the processes must be stopped before they can report it.
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
