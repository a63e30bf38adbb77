import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { Fault } from '#contract/fault.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { anEvent } from '../../test/fake/tag.ts'
import { type IngestSource, ingestAddedEvent, ingestBody, ingestUserUpdate, sealEntry } from './ingest.ts'
import { openRecord, recordEvents } from './record.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const now = Date.UTC(2026, 10, 20)
const tag = { tagId: 'tag_1', teamId: 'team_1' }
const deps = { brand: 'Service', keys, intakeRate: unlimitedIntake }

const source = (more: Partial<IngestSource> = {}): IngestSource => ({
  tag,
  caller: { userId: 'usr_caller', hasExplicitUserId: false },
  trusted: true,
  receivedAt: now,
  ...more,
})
const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const stored = (...items: Parameters<typeof sealEntry>[0]) =>
  recordEvents(openRecord(sealEntry(items, tag, keys).payload, 'tag_1', 'team_1', keys))

const entry = fc.record(
  { eventName: fc.constantFrom('PageView', 'Lead'), eventId: fc.string({ maxLength: 5 }), timestamp: fc.constant(now) },
  { requiredKeys: [] },
)

test('a request and customer code get the same results for one body, and store the same events', () => {
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 6 }), (events) => {
      const caller = { userId: 'crm-1', hasExplicitUserId: true }
      const [request, code] = [{ request: { ip: '192.0.2.1' } }, { originScriptIds: ['scr_1'] }].map((more) =>
        ingestBody(bodyOf(events), source({ caller, ...more }), deps),
      )
      assert.deepEqual(request!.drafts, code!.drafts)
      assert.deepEqual(request!.item?.keys, code!.item?.keys)
      assert.deepEqual(request!.item?.part.body, code!.item?.part.body)
      const accepted = code!.drafts.results.filter(({ status }) => status === 'accepted')
      assert.equal(accepted.length, code!.item?.keys.length ?? 0)
    }),
  )
})

test('events of a server without a user id have a new user each; those of a browser, of an id or a single one have one', () => {
  const pair = bodyOf([anEvent(now, { eventId: 'a' }), anEvent(now, { eventId: 'b' })])
  const usersOf = (body: Buffer, more: Partial<IngestSource> = {}) => {
    const { drafts, item } = ingestBody(body, source(more), deps)
    assert.deepEqual(
      drafts.results.map(({ userId }) => userId),
      stored(item!).map(({ userId }) => userId),
    )
    return drafts.results.map(({ userId }) => userId)
  }
  const [one, other] = usersOf(pair)
  assert.ok(one !== other && one !== 'usr_caller')
  assert.deepEqual(usersOf(pair, { isOnePerson: true }), ['usr_caller', 'usr_caller'])
  assert.deepEqual(usersOf(pair, { caller: { userId: 'crm-1', hasExplicitUserId: true } }), ['crm-1', 'crm-1'])
  assert.deepEqual(usersOf(bodyOf(anEvent(now))), ['usr_caller'])
})

test('a rejected event is not stored, and the others keep their users', () => {
  const body = bodyOf([{ eventName: 'Lead' }, anEvent(now, { eventId: 'b' }), anEvent(now, { eventId: 'c' })])
  const { drafts, item } = ingestBody(body, source(), deps)
  const [, second, third] = drafts.results
  assert.deepEqual(
    stored(item!).map(({ event, userId }) => [event.eventId, userId]),
    [
      ['b', second!.userId],
      ['c', third!.userId],
    ],
  )
  assert.equal(ingestBody(bodyOf([{}]), source(), deps).item, undefined)
})

test('the stored context has the facts of the request, the kind of an update and the scripts of code', () => {
  const request = { ip: '192.0.2.1', origin: 'https://shop.example', gpc: true as const }
  const [ofRequest] = stored(ingestBody(bodyOf(anEvent(now)), source({ request }), deps).item!)
  const common = { ...tag, userId: 'usr_caller', hasExplicitUserId: false, trusted: true, receivedAt: now }
  assert.deepEqual(ofRequest!.context, { ...common, ...request })
  const [update] = stored(ingestUserUpdate('user', anEvent(now), source({ originScriptIds: ['scr_1'] }), deps))
  assert.deepEqual(update!.context, { ...common, kind: 'user', originScriptIds: ['scr_1'] })
  const [added] = stored(ingestAddedEvent(anEvent(now, { eventId: 'x' }), { ...ofRequest!, userId: 'usr_2' }, deps))
  assert.deepEqual(added!.context, { ...ofRequest!.context, userId: 'usr_2', isMadeByCode: true })
})

test('events and user updates from code are refused more than five scripts deep', () => {
  const deep = source({ originScriptIds: ['a', 'b', 'c', 'd', 'e', 'f'] })
  const isLoop = (error: unknown) => error instanceof Fault && error.fault === 'loopRefused'
  assert.throws(() => ingestBody(bodyOf(anEvent(now)), deep, deps), isLoop)
  assert.throws(() => ingestUserUpdate('user', anEvent(now), deep, deps), isLoop)
})

test('an entry of several calls has the keys of both spaces for each event', () => {
  const [trusted, untrusted] = [true, false].map(
    (each) => ingestBody(bodyOf(anEvent(now)), source({ trusted: each }), deps).item!,
  )
  const { keys: own, others } = sealEntry([trusted!, untrusted!], tag, keys)
  assert.deepEqual(own, [...trusted!.keys, ...untrusted!.keys])
  assert.deepEqual(others, [0n, trusted!.keys[0]])
  assert.equal(sealEntry([trusted!], tag, keys).others, undefined)
})
