import { setTimeout } from 'node:timers/promises'
import type { AgletProcess } from '../../scripts/cluster/agletProcesses.ts'
import type { ClusterRig } from './clusterRig.ts'
import type { DatabaseFault } from './databaseFaults.ts'

/** A fault of Aglet's processes or of their ways to the database. */
export type ProcessFault = { name: string; act(rig: ClusterRig, random: () => number): Promise<void> }

/** How long a dead worker's slots stay without an owner. */
const takeoverMs = 6_000

async function startAgain(process: AgletProcess): Promise<void> {
  process.start()
  await process.ready()
}

const oneOf = ({ aglet }: ClusterRig, role: AgletProcess['role'], random: () => number) => {
  const all = aglet.of(role)
  return all[Math.floor(random() * all.length)]!
}

const killOne = (role: AgletProcess['role']): ProcessFault => ({
  name: `${role === 'edge' ? 'an' : 'a'} ${role} process is killed`,
  async act(rig, random) {
    const killed = oneOf(rig, role, random)
    await killed.end('SIGKILL')
    await setTimeout(random() * 2_000)
    await startAgain(killed)
  },
})

export const processFaults: readonly ProcessFault[] = [
  killOne('edge'),
  killOne('worker'),
  killOne('control'),
  {
    name: 'a worker is killed, and the other while it takes the slots over',
    async act({ aglet }, random) {
      const [first, second] = aglet.of('worker') as [AgletProcess, AgletProcess]
      await first.end('SIGKILL')
      await setTimeout(takeoverMs - 1_000 + random() * 2_000)
      await second.end('SIGKILL')
      await Promise.all([startAgain(first), startAgain(second)])
    },
  },
  {
    name: 'a worker stands still for 8 seconds, and wakes up without its slots',
    async act(rig, random) {
      const frozen = oneOf(rig, 'worker', random)
      frozen.signal('SIGSTOP')
      await setTimeout(8_000)
      frozen.signal('SIGCONT')
      await setTimeout(1_000)
    },
  },
  {
    name: 'a worker is stopped in order, and starts again',
    async act(rig, random) {
      const stopped = oneOf(rig, 'worker', random)
      await stopped.end('SIGTERM')
      await startAgain(stopped)
    },
  },
]

/** Those of the database's own faults that end with another primary, or leave none for a while. */
export const underLoad = (fault: DatabaseFault): ProcessFault => ({
  name: fault.name,
  act: async ({ cluster, pathsOf, aglet }, random) =>
    fault.act({ cluster, paths: pathsOf(aglet.of('edge')[0]!), random }),
})

/** The faults of the network between one process and the database. */
export const onPathOf = (role: AgletProcess['role'], fault: DatabaseFault): ProcessFault => ({
  name: `${role}: ${fault.name}`,
  act: async (rig, random) => {
    const { cluster, pathsOf } = rig
    await fault.act({ cluster, paths: pathsOf(oneOf(rig, role, random)), random })
  },
})
