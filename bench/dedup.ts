// The cost of deduplication against seven days of events: `npm run bench:dedup`, smaller with `-- --keys 10e6`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { migrate } from '#kit/migrate.ts'
import { openDatabase, openReader, transact } from '#kit/sqlite.ts'
import { dayOf } from '#stream/days.ts'
import type { SegmentFilters } from '#stream/dedup/dedupIndex.ts'
import { mayContain } from '#stream/dedup/fuseFilter.ts'
import { halvesOf, type KeyPairs, wordsPerPair } from '#stream/dedup/keyPairs.ts'
import { packPlace } from '#stream/dedup/keyPlaces.ts'
import { openSegments } from '#stream/dedup/segments.ts'
import { openKeyIndex } from '#stream/log/keyIndex.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { openStreamIndex } from '#stream/log/streamIndex.ts'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '121e6' },
    events: { type: 'string', default: '400000' },
    data: { type: 'string' },
    fill: { type: 'boolean', default: false },
  },
})
const total = Math.round(Number(values.keys))
const events = Number(values.events)
const daysBefore = 7
const today = dayOf(Date.now())
const directory = values.data ?? mkdtempSync(join(tmpdir(), 'aglet-dedup-'))
const path = join(directory, 'stream.db')

const seconds = (fromMs: number) => ((performance.now() - fromMs) / 1_000).toFixed(1)
const residentMb = () => process.memoryUsage.rss() / 1e6
const open = () => openDatabase(path, { cacheKib: 8192, checkpointPages: 4000 })

function randomKeys(count: number): BigInt64Array {
  const keys = new BigInt64Array(count)
  for (let at = 0; at < count; at += 8192) crypto.getRandomValues(keys.subarray(at, at + 8192))
  return keys
}

/** Random pairs whose keys are in one slice of the key space. */
function pairsOf(count: number, slice: number, sliceBits: number): KeyPairs {
  const pairs = new Uint32Array(randomKeys(count * 2).buffer)
  for (let at = 0; at < pairs.length; at += wordsPerPair) {
    pairs[at + 1] = slice * 2 ** (32 - sliceBits) + (pairs[at + 1]! >>> sliceBits)
    pairs[at + 3]! &= 0xfffff
  }
  return pairs
}

/** Writes a segment as merges do, from the first bucket to the last. */
function fill(db: DatabaseSync, day: number, keys: number, level: number): void {
  const writing = openSegments(db).begin({ day, level, keys })
  const sliceBits = Math.min(8, writing.segment.bits)
  const slices = 2 ** sliceBits
  for (let slice = 0; slice < slices; slice++) {
    const count = Math.floor(((slice + 1) * keys) / slices) - Math.floor((slice * keys) / slices)
    const pairs = pairsOf(count, slice, sliceBits)
    transact(db, () => writing.put(pairs, (slice + 1) * 2 ** (writing.segment.bits - sliceBits)))
  }
  writing.end()
}

/** Past days have one segment each; today has some of every level. */
function prepare(): void {
  const begun = performance.now()
  const db = open()
  migrate(db, new URL('../src/stream/log/migrations/', import.meta.url))
  db.exec('PRAGMA synchronous = OFF')
  const perDay = Math.round(total / (daysBefore + 1))
  for (let ago = 1; ago <= daysBefore; ago++) fill(db, today - ago, perDay, 3)
  let left = perDay
  for (const [level, keys] of [4_194_304, 524_288, 65_536].entries())
    for (let runs = 0; runs < 7 && left >= keys; runs++, left -= keys) fill(db, today, keys, 2 - level)
  db.close()
  console.log(`${(total / 1e6).toFixed(0)} million keys of 8 days written in ${seconds(begun)} s`)
}

/** The CPU time of checking and adding the key of a new event. The thread of the index runs beside it. */
function measureKeys(): void {
  const index = openStreamIndex(path)
  const { segments } = index.answer({ day: today, read: true })
  const db = openReader(path)
  const keys = openKeyIndex(openSegments(db))
  keys.setDay(today)
  keys.setSegments(segments, 0)
  const random = randomKeys(events)
  const before = process.cpuUsage()
  for (let n = 0; n < events; n++) {
    if (keys.find(random[n]!) === undefined) keys.add(random[n]!, packPlace(1e9 + n, 0))
    if (!keys.isFull()) continue
    keys.rotate()
    keys.setSegments(segments, keys.takeTables().length)
  }
  const { user, system } = process.cpuUsage(before)
  const filters = new Map(segments.map(({ segment, filter }) => [segment.id, filter]))
  console.log(
    `${((user + system) / events).toFixed(1)} µs of CPU an event for its key; ` +
      `filters of ${filters.size} segments ${(sizeOf(filters) / 1e6).toFixed(0)} MB, resident ${residentMb().toFixed(0)} MB, ` +
      `${falsePositives(filters).toFixed(3)} false positive segment reads an event`,
  )
  db.close()
  index.close()
}

const sizeOf = (filters: SegmentFilters) => [...filters.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)

/** The mean number of filters that match a key that is in no segment. */
function falsePositives(filters: SegmentFilters): number {
  const unknown = Array.from(randomKeys(50_000), halvesOf)
  const all = [...filters.values()]
  return unknown.reduce((sum, key) => sum + all.filter((filter) => mayContain(filter, key)).length, 0) / unknown.length
}

/** Fills the database in another process, so that its memory does not count here. */
function fillElsewhere(): void {
  const options = ['--fill', '--data', directory, '--keys', values.keys]
  execFileSync(process.execPath, [import.meta.filename, ...options], { stdio: 'inherit' })
}

async function measure(): Promise<void> {
  console.log(`resident before: ${residentMb().toFixed(0)} MB`)
  if (!existsSync(path)) fillElsewhere()
  await measureRestart()
  measureKeys()
  await measureRestart()
  if (!values.data) rmSync(directory, { recursive: true, force: true })
}

/** The time of a restart until the first event is accepted. */
async function measureRestart(): Promise<void> {
  const begun = performance.now()
  const clock = { now: Date.now, wait: async () => {} }
  const stream = await openLogStream(path, clock)
  await stream.append({ tagId: 'tag_1', payload: Buffer.from('x'), keys: [randomKeys(1)[0]! & 0x7fffffffffffffffn] })
  console.log(`a restart accepts after ${seconds(begun)} s, resident ${residentMb().toFixed(0)} MB`)
  await stream.close()
}

if (values.fill) prepare()
else await measure()
