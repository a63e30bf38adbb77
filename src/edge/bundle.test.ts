import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { eventsIn, openRecord } from '#event/record.ts'
import type { Entry, Stream } from '#stream/stream.ts'
import { bundler, type Unit } from './bundle.ts'
import { snapshot, tagId, teamId } from './edge.fixture.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.makeTeam(teamId)

/** A stream that answers when it is told to; an odd key is fresh. */
function slowStream() {
  const asked: { entry: Entry; answer(): void; fail(): void }[] = []
  const append: Stream['append'] = (entry) =>
    new Promise((resolve, reject) => {
      const answer = () => resolve(entry.keys.map((key) => key % 2n === 1n))
      asked.push({ entry, answer, fail: () => reject(new Error('the disk is full')) })
    })
  const waits: { ms: number; end(): void }[] = []
  const wait = (ms: number) => new Promise<void>((end) => waits.push({ ms, end }))
  return { asked, waits, bundle: bundler({ stream: { append } as Stream, keys, clock: { now: () => 1, wait } }) }
}

const unit = (userId: string, ...eventKeys: bigint[]): Unit => ({
  part: {
    context: { tagId, teamId, userId, presented: true, trusted: false, receivedAt: 1 },
    body: Buffer.from(JSON.stringify(eventKeys.map((key) => ({ eventId: `${key}` })))),
  },
  keys: eventKeys,
})
const usersOf = ({ payload }: Entry) =>
  eventsIn(openRecord(payload, tagId, teamId, keys)).map(({ userId, event }) => `${userId} ${event.eventId}`)
const turn = () => new Promise(setImmediate)

test('what comes while the disk is busy becomes one record, and each request hears of its own events', async () => {
  const { asked, bundle } = slowStream()
  const tag = snapshot()
  const first = bundle(tag, unit('usr_a', 1n))
  await turn()
  const more = [bundle(tag, unit('usr_b', 2n, 3n)), bundle(tag, unit('usr_c', 5n))]
  await turn()
  assert.deepEqual(
    asked.map(({ entry }) => usersOf(entry)),
    [['usr_a 1']],
  )
  asked[0]!.answer()
  assert.deepEqual(await first, [true])
  await turn()
  assert.deepEqual(usersOf(asked[1]!.entry), ['usr_b 2', 'usr_b 3', 'usr_c 5'])
  assert.deepEqual(asked[1]!.entry.keys, [2n, 3n, 5n])
  asked[1]!.answer()
  assert.deepEqual(await Promise.all(more), [[false, true], [true]])
})

test('events that are compared with another space as well and events that are not are kept together, each with its own', async () => {
  const { asked, bundle } = slowStream()
  const tag = snapshot()
  void bundle(tag, unit('usr_a', 1n))
  await turn()
  void bundle(tag, unit('usr_b', 3n, 5n))
  void bundle(tag, { ...unit('usr_c', 7n), others: [9n] })
  asked[0]!.answer()
  await turn()
  assert.equal(asked[0]!.entry.others, undefined)
  assert.deepEqual(
    [asked[1]!.entry.keys, asked[1]!.entry.others],
    [
      [3n, 5n, 7n],
      [0n, 0n, 9n],
    ],
  )
})

test('one tag does not wait for another, and nothing of two tags is in one record', async () => {
  const { asked, bundle } = slowStream()
  void bundle(snapshot(), unit('usr_a', 1n))
  void bundle(snapshot({ tagId: 'tag_other' }), unit('usr_b', 3n))
  await turn()
  assert.deepEqual(
    asked.map(({ entry }) => entry.tagId),
    [tagId, 'tag_other'],
  )
})

test('a record holds 500 events and about 64 KiB at most; what waits goes to the disk together', async () => {
  const { asked, bundle } = slowStream()
  const tag = snapshot()
  const many = Array.from({ length: 400 }, (_, n) => BigInt(n))
  for (const each of [unit('usr_a', ...many), unit('usr_b', ...many), unit('usr_c', 1n)]) void bundle(tag, each)
  await turn()
  assert.deepEqual(
    asked.map(({ entry }) => entry.keys.length),
    [400, 401],
  )
})

test('when a record cannot be kept everybody in it is told, and the next one is tried', async () => {
  const { asked, bundle } = slowStream()
  const tag = snapshot()
  const refused = [bundle(tag, unit('usr_a', 1n)), bundle(tag, unit('usr_b', 3n))].map((each) =>
    assert.rejects(each, /disk is full/),
  )
  await turn()
  asked[0]!.fail()
  await Promise.all(refused)
  const next = bundle(tag, unit('usr_c', 5n))
  await turn()
  asked[1]!.answer()
  assert.deepEqual(await next, [true])
})

test('after a crowd the next are awaited for some milliseconds; who comes alone waits for nobody', async () => {
  const { asked, waits, bundle } = slowStream()
  const tag = snapshot()
  const crowd = Array.from({ length: 8 }, (_, n) => bundle(tag, unit('usr_a', BigInt(n))))
  await turn()
  asked[0]!.answer()
  await Promise.all(crowd)
  await turn()
  assert.deepEqual(
    waits.map(({ ms }) => ms),
    [3],
  )
  const next = [bundle(tag, unit('usr_b', 9n)), bundle(tag, unit('usr_c', 11n))]
  await turn()
  assert.equal(asked.length, 1)
  waits[0]!.end()
  await turn()
  await turn()
  assert.equal(asked[1]!.entry.keys.length, 2)
  asked[1]!.answer()
  await Promise.all(next)
  await turn()
  void bundle(tag, unit('usr_d', 13n))
  await turn()
  assert.deepEqual([asked.length, waits.length], [3, 1])
})
