// What it costs to refuse repeats when seven days of events are known: `npm run bench:dedup`, smaller with `-- --keys 10e6`.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { migrate } from '#kit/migrate.ts'
import { openDatabase, transact } from '#kit/sqlite.ts'
import { dayOf, tableOf } from '#stream/sqlite/days.ts'
import { keysOf, placeOf } from '#stream/sqlite/keys.ts'
import { openSqliteStream } from '#stream/sqlite.ts'

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '121e6' },
    events: { type: 'string', default: '400000' },
    data: { type: 'string' },
  },
})
const total = Math.round(Number(values.keys))
const events = Number(values.events)
const days = 7
const today = dayOf(Date.now())
const directory = values.data ?? mkdtempSync(join(tmpdir(), 'aglet-dedup-'))
const path = join(directory, 'stream.db')

const seconds = (fromMs: number) => ((performance.now() - fromMs) / 1_000).toFixed(1)
const residentMb = () => process.memoryUsage.rss() / 1e6
const random64 = () => {
  crypto.getRandomValues(random)
  return random[0]!
}
const random = new BigInt64Array(1)

/** Keys in order, one at a random place in each of as many equal parts of all numbers: a table is written front to back. */
function fill(db: DatabaseSync, day: number, count: number): void {
  const part = 2n ** 64n / BigInt(count)
  db.exec(`CREATE TABLE IF NOT EXISTS ${tableOf(day)} (key INTEGER PRIMARY KEY, place INTEGER NOT NULL) STRICT`)
  const first = -(2n ** 63n)
  transact(db, () =>
    db.exec(`
      WITH RECURSIVE each (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM each WHERE n < ${count - 1})
      INSERT INTO ${tableOf(day)} SELECT ${first} + n * ${part} + abs(random() % ${part}), (${day} * 20000000 + n) * 512 FROM each`),
  )
}

function prepare(): void {
  const begun = performance.now()
  const db = openDatabase(path, { cacheKib: 32_768, checkpointPages: 4000 })
  migrate(db, new URL('../src/stream/sqlite/migrations/', import.meta.url))
  db.exec('PRAGMA synchronous = OFF')
  for (let ago = 0; ago < days; ago++) fill(db, today - ago, Math.round(total / days))
  db.close()
  console.log(`${(total / 1e6).toFixed(0)} million keys of ${days} days written in ${seconds(begun)} s`)
}

/** CPU of the keys alone: taken and written in commits of so many events. */
function measureKeys(perCommit: number): void {
  const db = openDatabase(path, { cacheKib: 32_768, checkpointPages: 4000 })
  db.exec('PRAGMA synchronous = OFF') // waiting for the disk is not what is measured
  const keys = keysOf(db, today)
  const batch = () => Array.from({ length: perCommit }, random64)
  const batches = Array.from({ length: Math.ceil(events / perCommit) }, batch)
  let position = 1e9
  const before = process.cpuUsage()
  const begun = performance.now()
  for (const each of batches)
    transact(db, () => {
      for (const key of each) keys.take(key, placeOf(++position, 0))
      keys.write()
    })
  const { user, system } = process.cpuUsage(before)
  const perEvent = (user + system) / (batches.length * perCommit)
  console.log(
    `commits of ${perCommit}: ${perEvent.toFixed(1)} µs of CPU an event (${(user / events).toFixed(1)} user, ${(system / events).toFixed(1)} system), ${seconds(begun)} s, resident ${residentMb().toFixed(0)} MB`,
  )
  db.close()
}

/** A restart: until the first event has been accepted. */
async function measureRestart(): Promise<void> {
  const begun = performance.now()
  const clock = { now: Date.now, wait: async () => {} }
  const stream = await openSqliteStream(path, clock)
  await stream.append({ tagId: 'tag_1', payload: Buffer.from('x'), keys: [random64() & 0x7fffffffffffffffn] })
  console.log(`a restart accepts after ${seconds(begun)} s, resident ${residentMb().toFixed(0)} MB`)
  await stream.close()
}

const baseline = residentMb()
console.log(`resident before: ${baseline.toFixed(0)} MB`)
if (!existsSync(path)) prepare()
await measureRestart()
for (const perCommit of [1, 10, 50]) measureKeys(perCommit)
await measureRestart()
if (!values.data) rmSync(directory, { recursive: true, force: true })
