import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TagEvent } from '#contract/event.ts'
import { eventWarnings } from './eventWarnings.ts'

const at = Date.UTC(2026, 10, 20)
const warningsOf = (more: object) =>
  eventWarnings({ eventName: 'Lead', eventId: 'e1', timestamp: at, ...more } as TagEvent, 'Service')

test('an event as it should be has no warning', () => {
  assert.deepEqual(warningsOf({ data: { value: 1 }, userEmail: 'jane@example.com', userCustomerId: '4711' }), [])
})

test('a consent text that cannot be read is named by its code', () => {
  const [warning, ...others] = warningsOf({ storage: { service: { consentTexts: { tcf: 'nonsense' } } } })
  assert.match(warning!, /^TCF_UNREADABLE: /)
  assert.deepEqual(others, [])
})

test('a customer id that is a placeholder is named as ignored', () => {
  for (const more of [
    { userCustomerId: 'null' },
    { data: { userCustomerId: '' } },
    { storage: { kv: { customerId: [] } } },
  ])
    assert.match(warningsOf(more)[0] ?? 'none', /customer id is ignored/, JSON.stringify(more))
})

test('an event has five warnings at most', () => {
  const unknown = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`unknown${at}`, 1]))
  assert.equal(warningsOf(unknown).length, 5)
  assert.equal(
    warningsOf({ providers: Object.fromEntries(Object.keys(unknown).map((name) => [name, true])) }).length,
    5,
  )
})
