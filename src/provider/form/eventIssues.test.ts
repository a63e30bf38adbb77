import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventData, type TagEvent } from '#contract/event.ts'
import { eventDataFields, standardEvents } from '#contract/standardEvents.ts'
import { eventIssues, formatIssues, parseIssues } from './eventIssues.ts'

const event = (more: Record<string, unknown>) =>
  ({ eventName: 'Purchase', eventId: 'e1', timestamp: 1_700_000_000_000, ...more }) as unknown as TagEvent
const data = { value: 84.9, currency: 'EUR', orderId: 'A-1' }

test('an event as the standard has it has no issues, and null is as good as absent', () => {
  assert.deepEqual(eventIssues(event({ data })), [])
  assert.deepEqual(eventIssues(event({ data, pageUrl: null, storage: null })), [])
  assert.deepEqual(eventIssues(event({ eventName: 'Quiz finished' })), [])
})

test('the listed fields of data are those of its schema', () => {
  assert.deepEqual(eventDataFields, Object.keys(EventData.properties))
})

test('each required field that a standard event lacks is reported', () => {
  for (const [eventName, fields] of Object.entries(standardEvents))
    assert.deepEqual(
      eventIssues(event({ eventName })),
      fields.map((field) => `data.${field} is required`),
    )
  assert.deepEqual(eventIssues(event({ data: { ...data, currency: '' } })), ['data.currency is required'])
})

test('a field of the wrong type is reported with its path and without its value', () => {
  const issues = eventIssues(
    event({ pageTitle: 7, data: { ...data, value: 'sekret', contents: [{ quantity: 'sekret' }] } }),
  )
  assert.equal(issues.length, 3)
  for (const path of ['pageTitle', 'data.value', 'data.contents.0.quantity'])
    assert.ok(
      issues.some((issue) => issue.startsWith(`${path} `)),
      path,
    )
  assert.ok(!issues.join().includes('sekret'))
})

test('a name that is similar to a standard name is reported', () => {
  for (const eventName of ['purchase', 'add_to_cart', 'ADD TO CART'])
    assert.match(eventIssues(event({ eventName })).join(), /eventName is not a standard event/)
})

test('whatever event comes has at most twenty issues', () => {
  const contents = Array.from({ length: 100 }, () => ({ id: 1 }))
  const { length } = eventIssues(event({ data: { ...data, contents } }))
  assert.ok(length > 1 && length <= 20, `${length}`)
  fc.assert(fc.property(fc.object(), (more) => eventIssues(event(more)).length <= 20))
})

test('the line of the journal is read back into each place and what is wrong there', () => {
  const purchase = event({ pageTitle: 7, data: { value: 1 } })
  assert.deepEqual(parseIssues(formatIssues(eventIssues(purchase))), [
    { path: 'pageTitle', message: 'must be string' },
    { path: 'data.currency', message: 'is required' },
    { path: 'data.orderId', message: 'is required' },
  ])
  assert.deepEqual(parseIssues(formatIssues(eventIssues(event({ data })))), [])
  const wild = fc.record(
    { eventName: fc.string(), data: fc.object(), providers: fc.object(), storage: fc.object(), pageUrl: fc.anything() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(wild, (more) => {
      const issues = eventIssues(event(more))
      const read = parseIssues(formatIssues(issues))
      assert.deepEqual(
        read.map(({ path, message }) => `${path} ${message}`),
        issues,
      )
      for (const { path, message } of read) assert.ok(/^[\w.]+$/.test(path) && message, `${path}: ${message}`)
    }),
  )
})
