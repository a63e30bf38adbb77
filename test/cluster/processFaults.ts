import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { AgletProcess } from '../../scripts/cluster/agletProcesses.ts'
import { slotCount } from '../../src/cluster/slotOf.ts'
import { until } from '../fake/aglet.ts'
import { clockAhead, whyNoFaketime } from '../fault/faketime.ts'
import type { ClusterRig } from './clusterRig.ts'
import type { DatabaseFault } from './databaseFaults.ts'
import { copyAsNextVersion } from './nextVersion.ts'

/** A fault of Aglet's processes, or of their connections to the database. */
export type ProcessFault = {
  name: string
  /** Why it cannot be caused here. */
  skip?: string | false
  act(rig: ClusterRig, random: () => number): Promise<void>
}

/** How long the slots of a dead worker have no owner. */
const takeoverMs = 4_000
/** A takeover waits until the other worker has renewed its own lease in time for four seconds, which is slow on a busy machine. */
const slowMs = 60_000

async function startAgain(process: AgletProcess): Promise<void> {
  process.start()
  await process.ready()
}

const oneOf = ({ aglet }: ClusterRig, role: AgletProcess['role'], random: () => number) => {
  const all = aglet.of(role)
  return all[Math.floor(random() * all.length)]!
}

/** Waits until one worker owns every slot. */
export const onlyOneOwns = ({ cluster }: Pick<ClusterRig, 'cluster'>) =>
  until(async () => {
    const counts = 'SELECT count(DISTINCT owner)::int AS owners, count(owner)::int AS owned FROM aglet_production.slot'
    const [row] = await cluster.sql(counts, 'aglet')
    return row?.owners === 1 && row.owned === slotCount
  }, slowMs)

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
      const before = frozen.log().length
      frozen.signal('SIGSTOP')
      await Promise.all([setTimeout(8_000), onlyOneOwns(rig)])
      frozen.signal('SIGCONT')
      await until(() => frozen.log().slice(before).includes('this worker lost its lease'), slowMs)
    },
  },
  {
    name: 'a worker does not reach the database until its slots are taken, and what it then writes is refused',
    async act(rig, random) {
      const cutOff = oneOf(rig, 'worker', random)
      const before = cutOff.log().length
      const { proxies } = rig.pathsOf(cutOff)
      for (const proxy of proxies) proxy.blackHole()
      await onlyOneOwns(rig)
      for (const proxy of proxies) proxy.heal()
      // A refused write or the renewal of its lease reports it, whichever comes first.
      await until(() => cutOff.log().slice(before).includes('this worker lost its lease'), slowMs)
    },
  },
  {
    name: 'the clocks of an edge and a worker are a minute apart',
    skip: whyNoFaketime,
    async act({ aglet }) {
      const [edge, worker] = [aglet.of('edge')[0]!, aglet.of('worker')[0]!]
      const restart = async (environments: readonly Record<string, string>[]) => {
        await Promise.all([edge.end('SIGTERM'), worker.end('SIGTERM')])
        edge.start(environments[0])
        worker.start(environments[1])
        await Promise.all([edge.ready(), worker.ready()])
      }
      await restart([clockAhead(30), clockAhead(-30)])
      await setTimeout(2_000)
      await restart([{}, {}])
    },
  },
  {
    name: 'an edge and a worker of the next version migrate the database, and work beside those of this one',
    async act({ aglet, cluster }) {
      const next = copyAsNextVersion(cluster.folder.path)
      const renewed = [aglet.of('edge')[0]!, aglet.of('worker')[0]!]
      const restart = async (from?: string) => {
        await Promise.all(renewed.map((each) => each.end('SIGTERM')))
        for (const each of renewed) each.start({}, from)
        await Promise.all(renewed.map((each) => each.ready()))
      }
      await restart(next.program)
      await setTimeout(2_000)
      assert.deepEqual(await next.migrated(cluster), { applied: 2 })
      await next.undo(cluster)
      await restart()
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

/** A database fault under the load of Aglet and of a plain client. */
export const underLoad = (fault: DatabaseFault): ProcessFault => ({
  ...fault,
  act: ({ cluster, disks, promotions, rowPaths }, random) =>
    fault.act({ cluster, disks, promotions, paths: [rowPaths], random }),
})

/** A fault of the network between one process and the database; it also affects the plain client. */
export const onPathOf = (role: AgletProcess['role'], fault: DatabaseFault): ProcessFault => ({
  ...fault,
  name: `${role}: ${fault.name}`,
  act: async (rig, random) => {
    const { cluster, disks, promotions, pathsOf, rowPaths } = rig
    await fault.act({ cluster, disks, promotions, paths: [pathsOf(oneOf(rig, role, random)), rowPaths], random })
  },
})
