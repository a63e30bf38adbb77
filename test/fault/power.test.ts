import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { until } from '../fake/aglet.ts'
import { type Disk, openLoopDisk, openPlatter, whyNot } from './disk.ts'
import { type FaultRig, figuresOf, inFlight, openFaultRig, report } from './faultRig.ts'
import { random, seed } from './random.ts'

const losses = Number(process.env.LOSSES ?? 5)
const manyMs = 180_000
const next = random(seed)

/** The disks whose power fails. If none can be mounted, a simulated disk is used. */
const loops = (['ext4', 'xfs'] as const).map((kind) => ({ kind, skip: whyNot[kind](), open: () => openLoopDisk(kind) }))
const platter = { kind: 'platter', skip: whyNot.platter(), open: openPlatter }
const disks = loops.some(({ skip }) => !skip) ? loops : [...loops, platter]
const used = disks.filter(({ skip }) => !skip).length

/**
 * Cuts the power of the process and its disk at once: a sync in progress while the file system shuts down may return
 * successfully, so the process must be stopped before it can report it.
 */
async function losePower(place: FaultRig, disk: Disk): Promise<void> {
  await setTimeout(next() * 50)
  await place.freeze()
  disk.cut()
  await place.stop('SIGKILL')
  disk.restore()
}

async function moreAccepted({ sender }: FaultRig, count: number): Promise<void> {
  const enough = sender.accepted.size + count
  await until(() => sender.accepted.size > enough, manyMs)
}

for (const [at, { kind, skip, open }] of disks.entries()) {
  const times = Math.floor((losses + used - 1 - (at % used)) / used)
  test(`after ${times} × power loss on ${kind} no accepted event is lost (SEED=${seed})`, { skip }, async (t) => {
    const disk = open()
    after(disk.close)
    const place = await openFaultRig({ name: 'power', ...disk })
    for (let n = 0; n < times; n++) {
      await moreAccepted(place, 50 + next() * 500)
      await losePower(place, disk)
      await place.start()
    }
    const verdict = await place.verdict()
    report(t, `power loss (${kind})`, { times, ...figuresOf(verdict) })
    assert.deepEqual(verdict.lost, [])
    assert.deepEqual(verdict.phantom, [])
    assert.ok(verdict.repeated <= times * inFlight, `${verdict.repeated} repeated: more than could be in flight`)
  })
}

const { kind, skip, open } = disks.find((each) => !each.skip) ?? disks[0]!
test(`control: with commits that are not synced, power loss on ${kind} does lose events`, { skip }, async (t) => {
  const disk = open()
  after(disk.close)
  const weak = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'weak.ts')}` }
  const place = await openFaultRig({ name: 'weak', ...disk, environment: { ...disk.environment, ...weak } })
  let lost = 0
  for (let tries = 0; lost === 0 && tries < 3; tries++) {
    await moreAccepted(place, 300)
    await losePower(place, disk)
    // If not even the files are intact, the loss need not be counted.
    const last = [...place.sender.accepted.keys()].slice(-500)
    const isWhole = await place.start().then(
      () => true,
      () => false,
    )
    lost = isWhole ? (await place.unknown(last)).length : last.length
  }
  report(t, 'power loss without sync (control)', { times: 1, accepted: place.sender.accepted.size, lost })
  assert.ok(lost > 0, 'nothing was lost: then this harness does not show what it is for')
})
