import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import type { Journey } from '#contract/journey.ts'
import { maxPreviewEvents, type PreviewEvent } from '#contract/previewLink.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { dropExpiredPreviews, erasePreviewEvents, openPreviewLog } from './previewLog.ts'

const directory = mkdtempSync(join(tmpdir(), 'aglet-preview-'))
const store = await openSqliteStore(join(directory, 'store.db'))
after(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})
const clock = turnedClock()
const rootKey = Buffer.alloc(32, 7)
const keys = openKeyring(rootKey, 'production')
keys.createTeamKey('team_1')
const tag = { tagId: 'tag_1', teamId: 'team_1' }
const log = openPreviewLog({ clock, keys, store })

/** Another process on the same store, which reads the key of a team when it needs it. */
const otherProcess = () => {
  const environmentKey = keys.sealedEnvironmentKey()
  const readTeamKey = async (teamId: string) => keys.sealedTeamKey(teamId)
  return openPreviewLog({ clock, store, keys: openKeyring(rootKey, 'production', { environmentKey, readTeamKey }) })
}

let links = 0
const newLink = () => ({ previewId: `prv_${++links}`, expiresAt: clock.now() + 60_000 })

const anEvent = (eventId: string, more: Partial<Journey> = {}): Omit<PreviewEvent, 'number'> => ({
  kind: 'event',
  isPlanned: false,
  journey: { eventId, eventName: 'PageView', userId: 'usr_1', deliveries: [], ...more } as Journey,
})
const idsOf = (events: readonly PreviewEvent[]) => events.map(({ number, journey }) => [number, journey.eventId])

test('events of a link are numbered in the order in which they come, also if several processes get them', async () => {
  const link = newLink()
  assert.equal(await log.left(tag, link.previewId), maxPreviewEvents)
  assert.deepEqual(idsOf(await log.reserve(tag, link, [anEvent('a')])), [[1, 'a']])
  assert.deepEqual(idsOf(await log.reserve(tag, link, [anEvent('b'), anEvent('c')])), [
    [2, 'b'],
    [3, 'c'],
  ])
  const other = otherProcess()
  assert.equal(await other.left(tag, link.previewId), maxPreviewEvents - 3)
  assert.equal((await other.list(tag, link.previewId, 0)).length, 3)
  assert.deepEqual(idsOf(await other.reserve(tag, link, [anEvent('d')])), [[4, 'd']])
  assert.deepEqual(idsOf(await log.reserve(tag, link, [anEvent('e')])), [[5, 'e']])
  const all = await otherProcess().list(tag, link.previewId, 0)
  assert.deepEqual(
    all.map(({ journey }) => journey.eventId),
    ['a', 'b', 'c', 'd', 'e'],
  )
  assert.deepEqual(idsOf(await log.list(tag, link.previewId, 3)), [
    [4, 'd'],
    [5, 'e'],
  ])
  assert.deepEqual(await log.list(tag, link.previewId, 9), [])
  assert.deepEqual(await log.list({ ...tag, tagId: 'tag_2' }, link.previewId, 0), [])
})

test('a list has at most fifty events, and a link accepts five hundred', async () => {
  const link = newLink()
  const events = Array.from({ length: maxPreviewEvents + 1 }, (_, n) => anEvent(`event-${n + 1}`))
  assert.equal((await log.reserve(tag, link, events)).length, maxPreviewEvents)
  assert.equal(await log.left(tag, link.previewId), 0)
  assert.deepEqual(await otherProcess().reserve(tag, link, [anEvent('late')]), [])
  const listed = await log.list(tag, link.previewId, 100)
  assert.deepEqual([listed.length, listed[0]!.number, listed.at(-1)!.number], [50, 101, 150])
})

test('an event is replaced by its outcome, unless its visitor was erased meanwhile', async () => {
  const link = newLink()
  const mine = await log.reserve(tag, link, [anEvent('a'), anEvent('b', { userId: 'usr_2' })])
  await log.put(tag, link, { ...mine[0]!, isPlanned: true })
  assert.equal((await log.list(tag, link.previewId, 0))[0]!.isPlanned, true)
  await store.write([erasePreviewEvents('tag_1', 'usr_1')])
  await log.put(tag, link, { ...mine[0]!, isPlanned: true })
  assert.deepEqual(idsOf(await log.list(tag, link.previewId, 0)), [[2, 'b']])
})

test('an event that is too long is stored without its texts and requests, and keeps its deliveries', async () => {
  const link = newLink()
  const long = 'x'.repeat(300_000)
  const exchanges = [{ request: { method: 'POST', url: 'https://v.example', headers: {}, body: long } }]
  const delivery = { deliveryId: 'dlv_1', scriptId: 'scr_1', providerId: 'eventSink', status: 'simulated' } as const
  const attempt = { at: 1, durationMs: 2 }
  const journey = {
    received: { text: long },
    deliveries: [{ ...delivery, afterRules: { text: long }, attempts: [{ ...attempt, exchanges }] }],
  } as unknown as Journey
  await log.reserve(tag, link, [anEvent('short', { received: { text: 'x' } } as never), anEvent('long', journey)])
  const [short, stored] = await log.list(tag, link.previewId, 0)
  assert.deepEqual(short!.journey, anEvent('short', { received: { text: 'x' } } as never).journey)
  assert.deepEqual(stored!.journey, anEvent('long', { deliveries: [{ ...delivery, attempts: [attempt] }] }).journey)
})

test('the events of a link are not shown after it has expired, and are deleted when the next event comes', async () => {
  const link = newLink()
  await log.reserve(tag, link, [anEvent('a')])
  await clock.turn(59_999)
  assert.deepEqual(idsOf(await log.list(tag, link.previewId, 0)), [[1, 'a']])
  await clock.turn(1)
  assert.deepEqual(await log.list(tag, link.previewId, 0), [])
  await clock.turn(1)
  await log.reserve(tag, newLink(), [anEvent('b')])
  assert.equal(await otherProcess().left(tag, link.previewId), maxPreviewEvents)
  await store.write(dropExpiredPreviews(clock.now() + 60_001))
})
