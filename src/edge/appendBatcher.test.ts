import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { AppendItem } from '#event/ingest.ts'
import { openRecord, recordEvents } from '#event/record.ts'
import { noMeter } from '#kit/meter.ts'
import type { Stream, StreamEntry } from '#stream/stream.ts'
import { createAppendBatcher } from './appendBatcher.ts'
import { snapshot, tagId, teamId } from './edge.fixture.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey(teamId)

/** A stream whose appends are resolved by the test. An odd key is new, an even key is a duplicate. */
function slowStream() {
  const appends: { entry: StreamEntry; resolveAppend(): void; fail(): void }[] = []
  const slowAppend: Stream['append'] = (entry) =>
    new Promise((resolve, reject) => {
      const resolveAppend = () => resolve(entry.keys.map((key) => key % 2n === 1n))
      appends.push({ entry, resolveAppend, fail: () => reject(new Error('the disk is full')) })
    })
  const waits: { ms: number; end(): void }[] = []
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ ms, end }))
  return {
    appends,
    waits,
    append: createAppendBatcher({
      stream: { append: slowAppend } as Stream,
      keys,
      clock: { now: () => 1, wait },
      meter: noMeter,
      environment: 'production',
    }),
  }
}

const unit = (userId: string, ...eventKeys: bigint[]): AppendItem => ({
  part: {
    context: { tagId, teamId, userId, hasExplicitUserId: true, trusted: false, receivedAt: 1 },
    body: Buffer.from(JSON.stringify(eventKeys.map((key) => ({ eventId: `${key}` })))),
  },
  keys: eventKeys,
})
const usersOf = ({ payload }: StreamEntry) =>
  recordEvents(openRecord(payload, tagId, teamId, keys)).map(({ userId, event }) => `${userId} ${event.eventId}`)
const nextTurn = () => new Promise(setImmediate)

test('requests that arrive while the disk is busy become one record, and each gets the results of its own events', async () => {
  const { appends, append } = slowStream()
  const tag = snapshot()
  const first = append(tag, unit('usr_a', 1n))
  await nextTurn()
  const more = [append(tag, unit('usr_b', 2n, 3n)), append(tag, unit('usr_c', 5n))]
  await nextTurn()
  assert.deepEqual(
    appends.map(({ entry }) => usersOf(entry)),
    [['usr_a 1']],
  )
  appends[0]!.resolveAppend()
  assert.deepEqual(await first, [true])
  await nextTurn()
  assert.deepEqual(usersOf(appends[1]!.entry), ['usr_b 2', 'usr_b 3', 'usr_c 5'])
  assert.deepEqual(appends[1]!.entry.keys, [2n, 3n, 5n])
  appends[1]!.resolveAppend()
  assert.deepEqual(await Promise.all(more), [[false, true], [true]])
})

test('events with and without a key of the other id space share a record, and each keeps its own keys', async () => {
  const { appends, append } = slowStream()
  const tag = snapshot()
  void append(tag, unit('usr_a', 1n))
  await nextTurn()
  void append(tag, unit('usr_b', 3n, 5n))
  void append(tag, { ...unit('usr_c', 7n), others: [9n] })
  appends[0]!.resolveAppend()
  await nextTurn()
  assert.equal(appends[0]!.entry.others, undefined)
  assert.deepEqual(
    [appends[1]!.entry.keys, appends[1]!.entry.others],
    [
      [3n, 5n, 7n],
      [0n, 0n, 9n],
    ],
  )
})

test('a tag does not wait for another, and a record holds the events of one tag only', async () => {
  const { appends, append } = slowStream()
  void append(snapshot(), unit('usr_a', 1n))
  void append(snapshot({ tagId: 'tag_other' }), unit('usr_b', 3n))
  await nextTurn()
  assert.deepEqual(
    appends.map(({ entry }) => entry.tagId),
    [tagId, 'tag_other'],
  )
})

test('a record holds at most 500 events and about 64 KiB, and all waiting records are appended together', async () => {
  const { appends, append } = slowStream()
  const tag = snapshot()
  const many = Array.from({ length: 400 }, (_, n) => BigInt(n))
  for (const each of [unit('usr_a', ...many), unit('usr_b', ...many), unit('usr_c', 1n)]) void append(tag, each)
  await nextTurn()
  assert.deepEqual(
    appends.map(({ entry }) => entry.keys.length),
    [400, 401],
  )
})

test('a failed append rejects every request of its record, and the next record is tried', async () => {
  const { appends, append } = slowStream()
  const tag = snapshot()
  const refused = [append(tag, unit('usr_a', 1n)), append(tag, unit('usr_b', 3n))].map((each) =>
    assert.rejects(each, /disk is full/),
  )
  await nextTurn()
  appends[0]!.fail()
  await Promise.all(refused)
  const next = append(tag, unit('usr_c', 5n))
  await nextTurn()
  appends[1]!.resolveAppend()
  assert.deepEqual(await next, [true])
})

test('after a large group the next group waits 3 ms, and a single request does not wait', async () => {
  const { appends, waits, append } = slowStream()
  const tag = snapshot()
  const group = Array.from({ length: 8 }, (_, n) => append(tag, unit('usr_a', BigInt(n))))
  await nextTurn()
  appends[0]!.resolveAppend()
  await Promise.all(group)
  await nextTurn()
  assert.deepEqual(
    waits.map(({ ms }) => ms),
    [3],
  )
  const next = [append(tag, unit('usr_b', 9n)), append(tag, unit('usr_c', 11n))]
  await nextTurn()
  assert.equal(appends.length, 1)
  waits[0]!.end()
  await nextTurn()
  await nextTurn()
  assert.equal(appends[1]!.entry.keys.length, 2)
  appends[1]!.resolveAppend()
  await Promise.all(next)
  await nextTurn()
  void append(tag, unit('usr_d', 13n))
  await nextTurn()
  assert.deepEqual([appends.length, waits.length], [3, 1])
})
