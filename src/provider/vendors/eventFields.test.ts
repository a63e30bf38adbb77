import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { fieldMapping, mappedFields } from './eventFields.ts'

const event = { eventName: 'Purchase', eventId: 'evt-1', timestamp: 0, pageUrl: 'https://shop.example/' }
const context: RequestContext = {
  kind: 'tag',
  event,
  payload: event,
  data: { orderId: 'A-1', gift: true, nested: { a: 1 }, userEmail: 'ada@example.com', eventId: 'of the shop' },
  items: [
    { id: 'a', quantity: 2 },
    { id: 'b', title: 'Runner' },
  ],
  orderId: 'A-1',
  coupon: 'SPRING',
  value: 5,
  user: { email: 'ada@example.com' },
  custom: {},
  captured: {},
  consent: unknownConsent,
  token: '',
  now: 0,
}
const mapped = (pairs: [string, string][]) => mappedFields(context, JSON.stringify(pairs))

test('a field goes under the name that the customer gave it; one that the event lacks is omitted', () => {
  const given = { value: 'Amount', itemIds: 'Skus', quantity: 'Pieces', eventTime: 'At', gift: 'IsGift', tax: 'Tax' }
  assert.deepEqual(mapped(Object.entries(given)), {
    Amount: 5,
    Skus: 'a,b',
    Pieces: 3,
    At: '1970-01-01T00:00:00.000Z',
    IsGift: true,
  })
})

test('the fields of Aglet go before members of data; only flat values are taken; the person only as declared', () => {
  assert.deepEqual(
    mapped([
      ['eventId', 'Id'],
      ['nested', 'Nested'],
      ['userEmail', 'Raw'],
      ['email', 'Mail'],
      ['toString', 'X'],
    ]),
    { Id: 'evt-1', Mail: 'ada@example.com' },
  )
})

test('a text that is no mapping is refused by the check and maps nothing', () => {
  const { check } = fieldMapping('Columns', 'its column.', [['value', 'Value']])
  assert.match(check('{')!, /JSON list of pairs/)
  assert.equal(check('[["value", "Amount"]]'), undefined)
  assert.deepEqual(mappedFields(context, '{'), {})
})
