import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { until } from '../fake/aglet.ts'
import { openLoopDisk, openPlatter, openSmallDisk, whyNot } from './disk.ts'
import { type FaultRig, figuresOf, inFlight, openFaultRig, report } from './faultRig.ts'
import { random, seed } from './random.ts'

const rounds = Number(process.env.DISKS ?? 2)
/** After each of them the server waits for a second. */
const mostFailedSyncs = Number(process.env.FAILED_SYNCS ?? 20)
const manyMs = 180_000
const next = random(seed)

async function more(place: FaultRig, what: 'accepted' | '503', count: number): Promise<void> {
  const { accepted, failed } = place.sender
  const now = () => (what === 'accepted' ? accepted.size : (failed.get(what) ?? 0))
  const enough = now() + count
  await until(() => now() >= enough, manyMs)
}

test(`a disk that runs full: what was accepted stays, all else is answered 503, and it goes on when there is room (SEED=${seed})`, {
  skip: whyNot.small(),
}, async (t) => {
  const disk = openSmallDisk(1_024)
  after(disk.close)
  const place = await openFaultRig({ name: 'full', data: disk.data })
  let kills = 0
  for (let n = 0; n < rounds; n++) {
    await more(place, 'accepted', 100 + next() * 300)
    disk.fill()
    await more(place, '503', 200)
    // Every second time it is killed while the disk is full, and restarted before there is space.
    if (n % 2 === 1) {
      kills++
      await place.stop('SIGKILL')
      disk.empty()
      await place.start()
    }
    disk.empty()
    await more(place, 'accepted', 200)
  }
  const verdict = await place.verdict()
  report(t, 'disk full', { times: rounds, ...figuresOf(verdict), refused: place.sender.failed.get('503') ?? 0 })
  const others = [...place.sender.failed].filter(([how]) => how !== '503')
  if (kills === 0) assert.deepEqual(others, [])
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.ok(verdict.repeated <= rounds * inFlight, `${verdict.repeated} repeated`)
})

test(`syncs that fail: nothing is acknowledged that is not on the disk, also not by the next sync (SEED=${seed})`, {
  skip: whyNot.platter(),
}, async (t) => {
  const disk = openPlatter()
  after(disk.close)
  const place = await openFaultRig({ name: 'sync', ...disk })
  const failed = { syncs: 0 }
  for (let n = 0; n < rounds * 2; n++) {
    await more(place, 'accepted', 100 + next() * 300)
    const count = 1 + Math.floor(next() * mostFailedSyncs)
    failed.syncs += count
    disk.failSyncs(count)
    await until(() => disk.failing() === 0, manyMs)
    // The next syncs report success and senders get 2xx. Then the power fails, and every event with a 2xx must still be stored.
    await more(place, 'accepted', 1 + next() * 100)
    await place.stop('SIGKILL')
    disk.restore()
    await place.start()
  }
  const verdict = await place.verdict()
  const refused = place.sender.failed.get('503') ?? 0
  report(t, 'sync fails', { times: rounds * 2, syncs: failed.syncs, ...figuresOf(verdict), refused })
  assert.equal(verdict.failed, 0)
  assert.deepEqual(verdict.lost, [])
  assert.deepEqual(verdict.phantom, [])
  assert.ok(verdict.repeated <= rounds * 2 * inFlight, `${verdict.repeated} repeated`)
})

for (const kind of ['ext4', 'xfs'] as const)
  test(`the ${kind} disk of these tests comes back while a container has a copy of its mount`, {
    skip: whyNot[kind](),
  }, async () => {
    const disk = openLoopDisk(kind)
    after(disk.close)
    mkdirSync(disk.data)
    const kept = join(disk.data, 'kept')
    writeFileSync(kept, 'on the disk', { flush: true })
    const container = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', 'echo; exec sleep 60'])
    after(() => container.kill())
    await once(container.stdout, 'data')
    disk.cut()
    disk.restore()
    assert.equal(readFileSync(kept, 'utf8'), 'on the disk')
    writeFileSync(kept, 'written again', { flush: true })
  })
