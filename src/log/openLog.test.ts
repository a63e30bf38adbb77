import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import type { Disk } from './disk.ts'
import { openDisk } from './disk.ts'
import { createFakeDisk, type FakeDisk } from './fakeDisk.fixture.ts'
import { decodeSegment, encodeSegment, segmentHeaderBytes } from './format.ts'
import { LogUnwritable, type SegmentLog } from './log.ts'
import { copyLog } from './logFolder.ts'
import { openLog, openLogIn } from './openLog.ts'
import { readGroups } from './readGroups.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A seeded random number generator, for repeatable runs (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const record = (text: string) => ({ kind: 7, body: Buffer.from(text) })
const numbered = (n: number, bytes: number) => record(`${n}:${'x'.repeat(bytes)}`)
const textsOf = (disk: Disk) => {
  const texts: string[] = []
  for (const group of readGroups(disk))
    if ('records' in group)
      for (const { body } of group.records) texts.push(body ? Buffer.from(body).toString() : '(erased)')
  return texts
}
const numbersOf = (disk: Disk) => textsOf(disk).map((text) => Number.parseInt(text, 10))

test('records are read in the order of the calls, at their places, also after a restart', async () => {
  const own = join(folder, 'order')
  const log = openLogIn(own)
  const places = await Promise.all(['a', '', 'c'.repeat(70_000)].map((text) => log.append([record(text)])))
  assert.deepEqual(textsOf(openDisk(own)), ['a', '', 'c'.repeat(70_000)])
  await log.close()
  const again = openLogIn(own)
  assert.equal(Buffer.from((await again.read(places[2]![0]!))!).toString(), 'c'.repeat(70_000))
  await again.append([record('d')])
  assert.equal(textsOf(openDisk(own)).at(-1), 'd')
  assert.deepEqual(
    again.segments().map(({ number }) => number),
    [1, 2],
    'each opening writes to a segment of its own',
  )
  await again.close()
})

test('records of one turn share one sync', async () => {
  const disk = createFakeDisk(() => 0)
  const log = openLog({ disk })
  await log.append([record('first')])
  const before = disk.calls()
  await Promise.all(Array.from({ length: 100 }, (_, n) => log.append([numbered(n, 10)])))
  assert.equal(disk.calls() - before, 2, 'one write and one sync')
})

test('a group that would make a segment too long begins the next one', async () => {
  const disk = createFakeDisk(() => 0)
  const log = openLog({ disk, segmentBytes: 2_500 })
  for (let n = 0; n < 5; n++) await log.append([numbered(n, 900)])
  assert.deepEqual(numbersOf(disk), [0, 1, 2, 3, 4])
  assert.equal(log.segments().length, 3)
})

test('beginSegment begins one segment, and the bytes of a segment are those up to its last group', async () => {
  const disk = createFakeDisk(() => 0)
  const log = openLog({ disk })
  await log.append([record('one')])
  const { offset } = log.end()
  log.beginSegment()
  for (const text of ['two', 'three']) await log.append([record(text)])
  assert.deepEqual(
    log.segments().map(({ bytes }) => bytes),
    [offset, log.end().offset],
  )
})

test('a group has the time of its write', async () => {
  const disk = createFakeDisk(() => 0)
  let now = 1_000
  const log = openLog({ disk, now: () => now })
  for (; now < 1_003; now++) await log.append([record('one')])
  const times = [...readGroups(disk)].map((each) => 'records' in each && each.writtenAt)
  assert.deepEqual(times, [1_000, 1_001, 1_002])
})

test('what was written no longer counts as waiting for the disk', async () => {
  const log = openLog({ disk: { ...createFakeDisk(() => 0), write: async () => {} } })
  const large = (megabytes: number) => log.append([{ kind: 7, body: Buffer.alloc(megabytes * 1024 * 1024) }])
  await large(40)
  await Promise.all([large(13), large(13)])
})

test('a copy of a log fails if a file cannot be copied, and a log that does not exist is copied as an empty one', async () => {
  const own = join(folder, 'copied')
  const copy = join(folder, 'copy')
  await copyLog(own, copy)
  assert.deepEqual(readdirSync(copy), [])
  assert.equal(statSync(copy).mode & 0o777, 0o700, 'only its owner can read it')
  mkdirSync(join(own, '000000000001.seg'), { recursive: true })
  await assert.rejects(copyLog(own, copy))
})

test('erased bytes are zeros on the disk, the groups around them are read, and a deleted segment is gone', async () => {
  const disk = createFakeDisk(() => 0)
  const log = openLog({ disk })
  const [[place], [other]] = await Promise.all([log.append([record('canary')]), log.append([record('kept')])])
  await log.erase([place!])
  assert.ok(!disk.dump().includes('canary'))
  assert.equal(await log.read(place!), undefined)
  assert.deepEqual(textsOf(disk), ['(erased)', 'kept'])
  log.beginSegment()
  await log.append([record('next')])
  await log.deleteSegments([1, 2])
  assert.deepEqual(textsOf(disk), ['next'], 'the segment that is written to stays')
  assert.equal(await log.read(other!), undefined)
})

test('a group that cannot be read and that another one follows is damage, and reading goes on behind it', async () => {
  const own = join(folder, 'damage')
  const log = openLogIn(own)
  const [, [place]] = [
    await log.append([record('one')]),
    await log.append([record('two')]),
    await log.append([record('three')]),
  ]
  const disk = openDisk(own)
  const file = disk.open('000000000001.seg', false)
  await disk.write(file, Buffer.from('X'), place!.offset)
  const read = [...readGroups(disk)]
  assert.deepEqual(
    read.map((each) => ('records' in each ? 'group' : 'damage')),
    ['group', 'damage', 'group'],
  )
  await log.close()
  truncateSync(join(own, '000000000001.seg'), place!.offset + 1)
  assert.deepEqual(textsOf(disk), ['one'], 'without a group behind it, it is the torn end')
})

test('records that come within the pause after a group share the next one', async () => {
  const disk = createFakeDisk(() => 0.1)
  const log = openLog({ disk, pauseMs: 20 })
  await log.append([record('alone')])
  const first = log.append([record('one')])
  for (let turns = 0; turns < 3; turns++) await nextTurn() // without a pause it would be written by now
  await Promise.all([first, log.append([record('two')])])
  const groups = [...readGroups(disk)].map((each) => ('records' in each ? each.records.length : 0))
  assert.deepEqual(groups, [1, 2])
  await log.close()
})

test('after a failed sync nothing of its group is in the log, and the next group begins a segment', async () => {
  const disk = createFakeDisk(() => 0.1)
  const log = openLog({ disk })
  await log.append([record('before')])
  disk.failSync(disk.calls() + 2)
  await assert.rejects(log.append([record('failed')]), LogUnwritable)
  await log.append([record('after')])
  assert.deepEqual(textsOf(disk), ['before', 'after'])
  assert.deepEqual(textsOf(disk.afterCrash()), ['before', 'after'])
})

type Trace = { bytes: number[]; failAt: number; rounds: number; seed: number }
type Outcome = { answered: number[]; rejected: number[]; disk: FakeDisk }

/** Appends records until the process crashes, then starts again. Returns the confirmed and rejected records, by number. */
async function runTrace(
  { bytes, failAt, rounds, seed }: Trace,
  crashAt: number,
  open: (disk: Disk) => SegmentLog,
): Promise<Outcome> {
  const answered: number[] = []
  const rejected: number[] = []
  let disk = createFakeDisk(seeded(seed))
  let next = 0
  for (let round = 0; round < rounds; round++) {
    if (round === 0) disk.crashAt(crashAt)
    disk.failSync(failAt)
    const log = open(disk)
    const ended = disk.hasEnded
    const asked: Promise<void>[] = []
    for (const size of bytes) {
      const n = next++
      asked.push(
        log.append([numbered(n, size)]).then(
          () => void answered.push(n),
          () => {
            if (!ended()) rejected.push(n) // a crashed process answers no caller
          },
        ),
      )
      if (n % 3 === 0) await new Promise(setImmediate)
    }
    await Promise.all(asked)
    disk = disk.afterCrash()
  }
  return { answered, rejected, disk }
}

function check({ answered, rejected, disk }: Outcome): void {
  const found = numbersOf(disk)
  assert.deepEqual(
    found,
    [...new Set(found)].sort((one, other) => one - other),
    'in order, and once',
  )
  for (const n of answered) assert.ok(found.includes(n), `${n} was answered and is lost`)
  for (const n of rejected) assert.ok(!found.includes(n), `${n} was rejected and is there`)
}

const trace = fc.record({
  bytes: fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 8 }),
  failAt: fc.constantFrom(0, 3, 6, 8, 10, 12), // none, the write of a header, or the write of a group
  rounds: fc.integer({ min: 2, max: 3 }),
  seed: fc.integer(),
})
const segmentBytes = 8_000

/**
 * Runs each trace once for each of its calls of the disk, with a crash at that call. `endOnFailure`: reports the first trace that
 * fails, and looks for no shorter one.
 */
const everywhere = (open: (disk: Disk) => SegmentLog, numRuns: number, endOnFailure = false) =>
  fc.assert(
    fc.asyncProperty(trace, async (each) => {
      for (let call = 1; call <= 30; call++) check(await runTrace(each, call, open))
    }),
    { numRuns, interruptAfterTimeLimit: 60_000, endOnFailure },
  )

test('what was answered is stored once, and what was rejected never appears, wherever the process ends', async () => {
  await everywhere((disk) => openLog({ disk, segmentBytes }), cases(60))
})

/** A disk that makes the log wrong: it drops the fence, or it does not sync. */
const withoutFence = (disk: Disk): Disk => ({
  ...disk,
  write(file, bytes, at) {
    const header = at === 0 && bytes.length === segmentHeaderBytes ? decodeSegment(bytes) : undefined
    return disk.write(
      file,
      header ? encodeSegment({ ...header, previous: { ...header.previous, end: 2 ** 40 } }) : bytes,
      at,
    )
  },
})
const withoutSync = (disk: Disk): Disk => ({ ...disk, sync: async () => {} })

for (const [mistake, of] of Object.entries({ 'no fence behind a failed group': withoutFence, 'no sync': withoutSync }))
  test(`the simulation finds a log with ${mistake}`, async () => {
    const wrong = (disk: Disk) => openLog({ disk: of(disk), segmentBytes })
    await assert.rejects(everywhere(wrong, 100, true), /is lost|is there|in order/)
  })
