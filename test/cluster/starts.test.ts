import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AgletProcess } from '../../scripts/cluster/agletProcesses.ts'
import { until } from '../fake/aglet.ts'
import { skipWithoutCluster } from '../fake/cluster.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { otherPart } from './clusterFaults.ts'
import { assertPromise } from './clusterLoad.ts'
import { type ClusterRig, openClusterRig } from './clusterRig.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const next = random(seed)
const failoverMs = 60_000

/** A control, an edge and a worker. */
type Group = readonly AgletProcess[]
/** A change of the primary during which two groups start, at different moments. */
type Change = {
  skip: string | false
  moments: readonly [string, string]
  act(rig: ClusterRig, groups: readonly [Start, Start]): Promise<void>
}
type Start = { group: Group; start(): void }

async function anotherLeads({ cluster, promotions }: ClusterRig, before: { name: string }): Promise<void> {
  await until(async () => {
    const leader = await cluster.leader()
    return leader !== undefined && leader.name !== before.name
  }, failoverMs)
  promotions.push(performance.now())
}

const end = (group: Group, signal: NodeJS.Signals) => Promise.all(group.map((each) => each.end(signal)))

/** Waits until the process reports in `/readyz` that the database is unreachable. */
const saysAway = ({ origin }: AgletProcess) =>
  until(async () => {
    const response = await fetch(`${origin}/readyz`).catch(() => undefined)
    const { checks = {} } = ((await response?.json()) ?? {}) as { checks?: Record<string, string> }
    return 'production.database' in checks || /has not responded since/.test(checks['production.store'] ?? '')
  }, failoverMs)

const changes: readonly Change[] = [
  {
    skip: otherPart('starts'),
    moments: ['before the primary ends', 'in the first second of a new primary'],
    async act(rig, [first, second]) {
      const primary = await rig.cluster.primary()
      await end(first.group, 'SIGTERM')
      first.start()
      await setTimeout(next() * 2_000)
      if (next() < 0.5) rig.cluster.killServer(primary)
      else rig.cluster.stopServerImmediately(primary)
      await end(second.group, 'SIGKILL')
      await anotherLeads(rig, primary)
      await setTimeout(next() * 1_000)
      second.start()
    },
  },
  {
    skip: otherPart('startsWithoutLeader'),
    moments: ['while the primary ends', 'while no node leads'],
    async act(rig, [first, second]) {
      const { cluster } = rig
      const primary = await cluster.primary()
      await end(first.group, 'SIGTERM')
      const standbys = await cluster.standbys()
      for (const standby of standbys) cluster.freeze(standby)
      cluster.kill(primary)
      await setTimeout(next() * 200)
      first.start()
      await end(second.group, 'SIGKILL')
      await until(async () => (await cluster.leader()) === undefined)
      second.start()
      await Promise.all([...first.group, ...second.group].map(saysAway))
      for (const standby of standbys) cluster.thaw(standby)
      await anotherLeads(rig, primary)
      primary.start()
    },
  },
]

const chosen = changes.filter((change) => !change.skip)
const skip = skipWithoutCluster() || (chosen.length === 0 && changes[0]!.skip)

const groupsOf = ({ aglet }: ClusterRig): [Group, Group] => {
  const group = (n: number) => (['control', 'edge', 'worker'] as const).map((role) => aglet.of(role)[n]!)
  return next() < 0.5 ? [group(0), group(1)] : [group(1), group(0)]
}

const countOf = (log: string, message: string) => log.split(message).length - 1

// All moments share one load on one cluster, because starting a cluster takes longer than any of them.
describe('control, an edge and a worker that start while the primary changes', { skip }, () => {
  let rig: ClusterRig
  before(async () => {
    rig = await openClusterRig({ control: 2 })
  })
  after(() => rig?.close())

  test(`${times} × each moment: every process gets ready by itself, and no accepted event is lost (SEED=${seed})`, async (t) => {
    const load = await rig.startLoad(`starts-${seed}`)
    t.after(load.stop)
    const figures = new Map<string, { slowestReadyMs: number; waits: number }>()
    /** Waits until the group of a moment is ready, and records the time. */
    async function ready(name: string, group: Group, { begun, lengths }: { begun: number; lengths: number[] }) {
      await Promise.all(group.map((each) => each.ready()))
      const { slowestReadyMs, waits } = figures.get(name) ?? { slowestReadyMs: 0, waits: 0 }
      const waited = group.map((each, n) => countOf(each.log().slice(lengths[n]), 'the start waits for a database'))
      figures.set(name, {
        slowestReadyMs: Math.max(slowestReadyMs, Math.round(performance.now() - begun)),
        waits: waits + waited.reduce((sum, count) => sum + count, 0),
      })
    }
    for (let n = 0; n < times; n++)
      for (const { moments, act } of chosen) {
        await load.more(20 + next() * 50)
        const runs = groupsOf(rig).map((group, at) => ({
          group,
          begun: 0,
          lengths: [] as number[],
          name: moments[at]!,
        }))
        const starts = runs.map((run) => ({
          group: run.group,
          start() {
            run.begun = performance.now()
            run.lengths = run.group.map((each) => each.log().length)
            for (const each of run.group) each.start()
          },
        }))
        await act(rig, [starts[0]!, starts[1]!])
        await Promise.all(runs.map((run) => ready(run.name, run.group, run)))
        await load.more(20)
        await rig.repair()
      }
    const verdict = await load.verdict()
    const counts = { ...figuresOf(verdict), lost: verdict.lost.length + verdict.lostRows.length }
    for (const [name, figure] of figures)
      report(t, `cluster: processes start ${name}`, {
        times,
        ...(name === chosen[0]!.moments[0] && counts),
        ...figure,
      })
    assertPromise(verdict, 4 * times * chosen.length * inFlight)
  })
})
