import assert from 'node:assert/strict'
import { test } from 'node:test'
import { at, idOf, plannedEvent } from '#store/store.fixture.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { decodeRecord, encodeRecord, type JournalRecord } from './journalRecords.ts'

const deliveryId = idOf(1, 0, 'scr_1')
const bytes = (...numbers: number[]) => new Uint8Array(numbers)

function assertSame(record: JournalRecord): void {
  const { kind, body } = encodeRecord(record)
  const decoded = decodeRecord(kind, body)
  const plain = (key: string, value: unknown) => (value instanceof Uint8Array ? { key, bytes: [...value] } : value)
  assert.equal(JSON.stringify(decoded, plain, 2), JSON.stringify(record, plain, 2))
}

test('a plan is read from the log as it was written, with few fields and with all', () => {
  const whole = plannedEvent(2, {
    emailMatch: 'usr_2',
    held: { waitsFor: 'usr_1', until: at },
    orderKey: 'order',
    orderHash: 'ab12',
    purchase: { orderId: '1', placedAt: at } as never,
    deliveries: [
      { deliveryId, scriptId: 'scr_1', providerId: 'eventSink', status: 'skipped', reason: 'consent' },
      { deliveryId, scriptId: 'scr_2', providerId: 'eventSink', status: 'pending' },
    ],
  })
  const { kind, body } = encodeRecord({ plan: [plannedEvent(1), whole] })
  assert.deepEqual(decodeRecord(kind, body), { plan: [plannedEvent(1), whole] })
})

test('an outcome is read from the log as it was written, with few fields and with all', () => {
  const delivery: DueDelivery = {
    ...{ deliveryId, tagId: 'tag_1', position: 1, index: 0, scriptId: 'scr_1', providerId: 'eventSink' },
    ...{ attempts: 2, uncountedAttempts: 1, receivedAt: at, nextAt: at, priority: 'new', orderKey: 'order' },
    crashCount: 1,
  }
  const attempt = { deliveryId, number: 3, at, durationMs: 5 }
  const outcomes: DeliveryOutcome[] = [
    { deliveryId, status: 'delivered' },
    { deliveryId, status: 'pending', reason: 'vendorDown', nextAt: at + 1, isUncounted: true },
    { deliveryId, status: 'pending', reason: 'vendorDown', isUncounted: true, isCrash: true },
    { deliveryId, status: 'dead', isCrash: true, at, tagId: 'tag_1', delivery, attempt },
    {
      ...{ deliveryId, status: 'refused', stepResults: ['one', undefined, 'three'] },
      attempt: { ...attempt, httpStatus: 400, message: 'no', joined: 'usr_2', packed: { pack: 0, part: 1 } },
    },
  ]
  const packs = [bytes(1, 2, 3), bytes()].map((sealed, n) => ({ tagId: `tag_${n}`, failed: n === 1, at, sealed }))
  const { kind, body } = encodeRecord({ settle: outcomes, packs })
  const decoded = decodeRecord(kind, body)
  assert.ok('settle' in decoded)
  assert.deepEqual(decoded.settle, outcomes)
  assert.deepEqual(
    decoded.packs.map(({ sealed, ...pack }) => [pack, [...sealed]]),
    packs.map(({ sealed, ...pack }) => [pack, [...sealed]]),
  )
})

test('starts and users are read from the log as they were written', () => {
  assertSame({ begin: [{ deliveryId, untilMs: at }] })
  const user = { tagId: 'tag_1', userId: 'usr_1', seenAt: at, sealed: bytes(7) }
  const { kind, body } = encodeRecord({
    users: [{ user }, { user, lookupKeys: { claims: [bytes(1), bytes(2)], customs: [], isUnnamed: true }, basedOn: 0 }],
  })
  const decoded = decodeRecord(kind, body)
  assert.ok('users' in decoded)
  assert.deepEqual(
    decoded.users.map(({ user, ...rest }) => [{ ...user, sealed: [...user.sealed] }, rest]),
    [
      [{ ...user, sealed: [7] }, { lookupKeys: {} }],
      [
        { ...user, sealed: [7] },
        { lookupKeys: { claims: [bytes(1), bytes(2)], customs: [], isUnnamed: true }, basedOn: 0 },
      ],
    ],
  )
})

test('a long record is compressed, and read as it was written', () => {
  const plan = Array.from({ length: 200 }, (_, n) => plannedEvent(n + 1))
  const { kind, body } = encodeRecord({ plan })
  assert.ok(body.length < JSON.stringify(plan).length / 4)
  assert.deepEqual(decodeRecord(kind, body), { plan })
})

test('a record of a kind that this version does not know is refused', () => {
  assert.throws(() => decodeRecord(9, encodeRecord({ begin: [] }).body), /unknown kind 9/)
})
