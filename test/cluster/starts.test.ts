import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { AgletProcess } from '../../scripts/cluster/agletProcesses.ts'
import { until } from '../fake/aglet.ts'
import { skipWithoutCluster } from '../fake/cluster.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { assertPromise } from './clusterLoad.ts'
import { type ClusterRig, openClusterRig } from './clusterRig.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const next = random(seed)
const failoverMs = 60_000

/** When processes start. `act` makes the moment, and calls `start` in it. */
type Moment = { name: string; act(rig: ClusterRig, start: () => void): Promise<void> }

async function anotherLeads({ cluster, promotions }: ClusterRig, before: { name: string }): Promise<void> {
  await until(async () => {
    const leader = await cluster.leader()
    return leader !== undefined && leader.name !== before.name
  }, failoverMs)
  promotions.push(performance.now())
}

const moments: readonly Moment[] = [
  {
    name: 'before the primary ends',
    async act(rig, start) {
      const primary = await rig.cluster.primary()
      start()
      await setTimeout(next() * 2_000)
      rig.cluster.killServer(primary)
      await anotherLeads(rig, primary)
    },
  },
  {
    name: 'while the primary ends',
    async act(rig, start) {
      const primary = await rig.cluster.primary()
      if (next() < 0.5) rig.cluster.killServer(primary)
      else rig.cluster.stopServerImmediately(primary)
      await setTimeout(next() * 200)
      start()
      await anotherLeads(rig, primary)
    },
  },
  {
    name: 'while no node leads',
    async act(rig, start) {
      const { cluster } = rig
      const primary = await cluster.primary()
      const standbys = await cluster.standbys()
      for (const standby of standbys) cluster.freeze(standby)
      cluster.kill(primary)
      await until(async () => (await cluster.leader()) === undefined)
      start()
      await setTimeout(next() * 4_000)
      for (const standby of standbys) cluster.thaw(standby)
      await anotherLeads(rig, primary)
      primary.start()
    },
  },
  {
    name: 'in the first second of a new primary',
    async act(rig, start) {
      const primary = await rig.cluster.primary()
      rig.cluster.killServer(primary)
      await anotherLeads(rig, primary)
      await setTimeout(next() * 1_000)
      start()
    },
  },
]

/** One process of each role. */
const oneOfEach = ({ aglet }: ClusterRig): AgletProcess[] =>
  (['control', 'edge', 'worker'] as const).map((role) => {
    const all = aglet.of(role)
    return all[Math.floor(next() * all.length)]!
  })

const countOf = (log: string, message: string) => log.split(message).length - 1

// All moments are one load on one cluster: the start of it takes longer than any.
describe('control, an edge and a worker that start while the primary changes', { skip: skipWithoutCluster() }, () => {
  let rig: ClusterRig
  before(async () => {
    rig = await openClusterRig()
  })
  after(() => rig?.close())

  test(`${times} × each moment: every process gets ready by itself, and no accepted event is lost (SEED=${seed})`, async (t) => {
    const load = await rig.startLoad(`starts-${seed}`)
    t.after(load.stop)
    const figures = new Map<string, { slowestReadyMs: number; waits: number }>()
    for (let n = 0; n < times; n++)
      for (const { name, act } of moments) {
        await load.more(20 + next() * 50)
        const chosen = oneOfEach(rig)
        await Promise.all(chosen.map((each) => each.end('SIGTERM')))
        const lengths = chosen.map((each) => each.log().length)
        let begun = 0
        await act(rig, () => {
          begun = performance.now()
          for (const each of chosen) each.start()
        })
        await Promise.all(chosen.map((each) => each.ready()))
        const figure = figures.get(name) ?? { slowestReadyMs: 0, waits: 0 }
        figure.slowestReadyMs = Math.max(figure.slowestReadyMs, Math.round(performance.now() - begun))
        for (const [index, each] of chosen.entries())
          figure.waits += countOf(each.log().slice(lengths[index]), 'the start waits for a database')
        figures.set(name, figure)
        await load.more(20)
        await rig.repair()
      }
    const verdict = await load.verdict()
    const counts = { ...figuresOf(verdict), lost: verdict.lost.length + verdict.lostRows.length }
    for (const [name, figure] of figures)
      report(t, `cluster: processes start ${name}`, { times, ...(name === moments[0]!.name && counts), ...figure })
    assertPromise(verdict, 2 * times * moments.length * inFlight)
  })
})
