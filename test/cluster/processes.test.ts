import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { skipWithoutCluster } from '../fake/cluster.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { type ClusterRig, openClusterRig } from './clusterRig.ts'
import { otherFaults, pathFaults, primaryFaults } from './databaseFaults.ts'
import { onPathOf, processFaults, underLoad } from './processFaults.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const skip = skipWithoutCluster()
const next = random(seed)
const faults = [
  ...processFaults,
  ...[...primaryFaults, ...otherFaults].map(underLoad),
  ...pathFaults.flatMap((fault) => [onPathOf('edge', fault), onPathOf('worker', fault)]),
]

describe('two edges, two workers and one control on a replicated database', { skip }, () => {
  let rig: ClusterRig
  before(async () => {
    rig = await openClusterRig()
  })
  after(() => rig?.close())

  for (const [index, { name, act }] of faults.entries())
    test(`${times} × ${name}: no accepted event is lost (SEED=${seed})`, async (t) => {
      await rig.repair()
      const load = await rig.startLoad(`fault-${index}-${seed}`)
      t.after(load.sender.stop)
      let slowestMs = 0
      for (let n = 0; n < times; n++) {
        await load.more(50 + next() * 100)
        const begun = performance.now()
        await act(rig, next)
        await load.more(50)
        await rig.repair()
        slowestMs = Math.max(slowestMs, performance.now() - begun)
      }
      const verdict = await load.verdict()
      const errors = JSON.stringify(Object.fromEntries(load.sender.failed))
      report(t, `cluster: ${name}`, { times, ...figuresOf(verdict), slowestMs: Math.round(slowestMs), errors })
      assert.deepEqual(verdict.lost, [])
      assert.deepEqual(verdict.phantom, [])
      assert.ok(verdict.repeated <= times * inFlight, `${verdict.repeated} repeated: more than could be in flight`)
    })
})
