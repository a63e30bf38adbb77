import assert from 'node:assert/strict'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../fake/aglet.ts'
import { figuresOf, openFaultRig, report } from './faultRig.ts'
import { seed } from './random.ts'

const manyMs = 180_000
const hour = 3_600_000
/** Jumps of the clock: an hour and a day forward, back again, and a day behind. */
const jumps = [hour, -hour, 24 * hour, -24 * hour, -24 * hour]
const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1').find((path) => existsSync(path))

test(`the clock jumps an hour and a day, forward and back, under load (SEED=${seed})`, {
  skip: !library && 'this machine has no libfaketime',
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-clock-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const timestampFile = join(folder, 'clock')
  const setClock = (aheadMs: number) => writeFileSync(timestampFile, `${aheadMs < 0 ? '' : '+'}${aheadMs / 1_000}`)
  setClock(0)
  const environment = {
    LD_PRELOAD: library!,
    FAKETIME_TIMESTAMP_FILE: timestampFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  }
  const place = await openFaultRig({ name: 'clock', environment, perSecond: 100 })
  const { sender, channels } = place
  const moreAccepted = async (count: number) => {
    const enough = sender.accepted.size + count
    await until(() => sender.accepted.size > enough, manyMs)
  }
  const repeats: string[] = []
  await moreAccepted(200)
  for (const jumpMs of jumps) {
    const before = [...sender.accepted.keys()]
    sender.aheadMs += jumpMs
    setClock(sender.aheadMs)
    await moreAccepted(200)
    // Events accepted before the jump are known after it, and later events are delivered.
    repeats.push(...(await sender.repeat(before.slice(-20))))
    const last = [...sender.accepted.keys()].at(-1)!
    await until(() => channels.every(({ destination }) => destination.times.has(last)), manyMs)
  }
  const verdict = await place.verdict()
  report(t, 'clock jumps', { times: jumps.length, ...figuresOf(verdict), refusedRepeats: repeats.length })
  // If the clock went back, earlier events are too far in the future, so they are refused as well.
  assert.deepEqual([...new Set(repeats)].sort(), ['400', 'duplicate'])
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.equal(verdict.repeated, 0)
})
