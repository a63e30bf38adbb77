import { after, before, describe, test } from 'node:test'
import { skipWithoutCluster } from '../fake/cluster.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { clusterFaults, isInPart, otherPart } from './clusterFaults.ts'
import { assertPromise, type ClusterVerdict } from './clusterLoad.ts'
import { type ClusterRig, openClusterRig } from './clusterRig.ts'
import { moveFiles } from './moveFiles.ts'
import { restoreDatabase } from './restoreDatabase.ts'
import { sendToBothEdges } from './sendToBothEdges.ts'

const times = Number(process.env.FAULT_TIMES ?? 1)
const skip = skipWithoutCluster()
const next = random(seed)
const faults = clusterFaults.filter((_, index) => isInPart(index))
const toFigures = ({ refused, lostRows, ...verdict }: ClusterVerdict) => ({
  ...figuresOf(verdict),
  lost: verdict.lost.length + lostRows.length,
  errors: JSON.stringify(refused),
})

// All faults run in sequence on one cluster, because starting a cluster takes longer than most faults.
describe('two edges, two workers and one control on a replicated database', { skip }, () => {
  let rig: ClusterRig
  before(async () => {
    rig = await openClusterRig()
  })
  after(() => rig?.close())

  test('an event that is sent to both edges at once is accepted once, and delivered once', () => sendToBothEdges(rig))

  for (const [index, { name, skip: whyNot = false, act }] of faults.entries())
    test(`${times} × ${name}: no accepted event is lost (SEED=${seed})`, { skip: whyNot }, async (t) => {
      await rig.repair()
      const load = await rig.startLoad(`fault-${index}-${seed}`)
      t.after(load.stop)
      rig.promotions.length = 0
      let slowestRepairMs = 0
      for (let n = 0; n < times; n++) {
        await load.more(50 + next() * 100)
        const begun = performance.now()
        await act(rig, next)
        await load.more(50)
        await rig.repair()
        slowestRepairMs = Math.max(slowestRepairMs, Math.round(performance.now() - begun))
      }
      const verdict = await load.verdict()
      const waits = rig.promotions.map(load.acceptedAfterMs)
      const promotion = waits.length > 0 && { slowestAfterPromotionMs: Math.max(...waits) }
      report(t, `cluster: ${name}`, { times, ...toFigures(verdict), slowestRepairMs, ...promotion })
      assertPromise(verdict, 2 * times * inFlight)
    })

  // Each of these ends with a database other than the cluster's, so they come last.
  test(
    'a backup of files that is restored into the cluster has every event, and knows its duplicates',
    {
      skip: otherPart('moveFiles'),
    },
    (t) => moveFiles(rig, t),
  )
  test(
    'a base backup that is restored to a moment has every event that was accepted before it',
    {
      skip: otherPart('restoreDatabase'),
    },
    (t) => restoreDatabase(rig, t),
  )
})
