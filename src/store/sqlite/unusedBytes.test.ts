import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { dropAllExpired } from '#store/retention.fixture.ts'
import { at, baseChanges, idOf, plannedEvent, script } from '#store/store.fixture.ts'
import { cases } from '../../../test/fake/cases.ts'
import { copySqliteStore } from './copySqliteStore.ts'
import { openSqliteStore } from './sqliteStore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-unused-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'store.db')

const events = cases(24_000, 6_000)
const eventsPerWrite = events / 24
/** What the store then has at least. */
const leastBytes = (events / 24_000) * 32 * 2 ** 20
const person = 'usr_person'
const said = 'https://shop.example/?of=person'

/** Pseudo-random numbers, the same in each run. */
function openRandom(): (below: number) => number {
  let state = 7
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}
const random = openRandom()
const isOfPerson = (position: number) => position % 7 === 0

/** The places where a text occurs in the files of the store. */
function placesOf(text: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return files
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => {
      const bytes = readFileSync(file)
      const places: string[] = []
      for (let from = bytes.indexOf(text); from >= 0; from = bytes.indexOf(text, from + 1))
        places.push(`${file} ${from}`)
      return places
    })
}

/** Writes events with messages of many lengths in mixed order, so that SQLite moves rows between pages. */
async function fillStore() {
  const store = await openSqliteStore(path)
  await store.write([...baseChanges, { put: 'script', row: script() }])
  const positions = Array.from({ length: events }, (_, n) => n + 1)
  for (let n = events - 1; n > 0; n--) {
    const other = random(n + 1)
    ;[positions[n], positions[other]] = [positions[other]!, positions[n]!]
  }
  for (let from = 0; from < events; from += eventsPerWrite) {
    const some = positions.slice(from, from + eventsPerWrite)
    await store.journal.plan(
      some.map((position) => {
        const { deliveries, ...event } = plannedEvent(position)
        return {
          ...event,
          userId: isOfPerson(position) ? person : `usr_${position}`,
          deliveries: deliveries.slice(0, 1),
        }
      }),
    )
    const outcomes = some.map((position) => {
      const deliveryId = idOf(position, 0, 'scr_1')
      const message = `${isOfPerson(position) ? said : 'other'} ${'x'.repeat(100 + random(1_900))}`
      const attempt = { deliveryId, number: 1, at, durationMs: 1, httpStatus: 400, message }
      return { deliveryId, status: 'refused', reason: 'payloadRefused', attempt } as const
    })
    await store.journal.settle(outcomes)
  }
  return store
}

test('nothing of an erased person stands in the files of a store of any size, nor in a backup that is made then', async (t) => {
  const store = await fillStore()
  const none = { bodiesMs: 0, failedBodiesMs: 0, hourlyRollupMs: 0, dailyRollupMs: 0, keptDeployments: 100 }
  // Retention frees pages without overwriting them.
  await dropAllExpired(store.journal, { ...none, journalMs: at + events / 4, failuresMs: at + events / 4 })
  const kept = Array.from({ length: events }, (_, n) => n + 1).filter((position) => position >= events / 4)
  const own = kept.filter(isOfPerson).map((position) => ({ tagId: 'tag_1', position, index: 0 }))
  await store.write([{ erase: 'events', events: own }])
  assert.ok(placesOf(said).length > 0, 'SQLite leaves copies of rows')

  const before = performance.now()
  let longestMs = 0
  const purging = store.purge!()
  let isDone = false
  void purging.finally(() => (isDone = true))
  while (!isDone) {
    const asked = performance.now()
    await store.write([{ add: 'audit', row: { at, by: 'operator', what: 'createTeam' } }])
    longestMs = Math.max(longestMs, performance.now() - asked)
  }
  await purging
  const { size } = statSync(path)
  t.diagnostic(
    `${(size / 2 ** 20).toFixed(0)} MiB in ${(performance.now() - before).toFixed(0)} ms, a write waited ${longestMs.toFixed(0)} ms`,
  )
  assert.ok(size > leastBytes, `${size} bytes`)
  assert.deepEqual(placesOf(said), [])
  assert.deepEqual(placesOf(person), [])

  await copySqliteStore(path, join(folder, 'copy.db'), events)
  assert.deepEqual(placesOf(said), [])
  const event = (await store.journal.event('tag_1', events - 2, 0))!
  assert.equal(event.deliveries[0]!.attempts[0]!.message?.slice(0, 5), 'other')
  await store.close()
  for (const name of ['store.db', 'copy.db']) {
    const database = new DatabaseSync(join(folder, name), { readOnly: true })
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
    database.close()
  }
})
