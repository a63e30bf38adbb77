import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons, statuses } from '#contract/deliveryStatus.ts'
import type { Delivery } from '#contract/journey.ts'
import { changesOf } from './changes.ts'
import { bodyText, curlOf } from './curl.ts'
import { explain } from './explain.ts'

const delivery = (more: Partial<Delivery>): Delivery => ({
  deliveryId: 'd',
  scriptId: 's',
  providerId: 'facebook',
  status: 'skipped',
  attempts: [],
  ...more,
})
const sentence = (more: Partial<Delivery>) => explain(delivery(more), 'Purchase').sentence

test('every status and every reason has a sentence of its own, with and without facts', () => {
  for (const status of statuses) assert.match(sentence({ status }), /^[A-Z].*[.”]$/, status)
  const all = reasons.map((reason) => sentence({ reason }))
  for (const text of all) assert.match(text, /^[A-Z].*[.”]$/)
  assert.equal(new Set(all).size, reasons.length)
})

test('a sentence names what was needed, what was there and who decided', () => {
  assert.equal(
    sentence({ reason: 'consent', why: { consent: { category: 'advertising', refusedBy: 'category' } } }),
    'Not sent: the channel needs consent for advertising, and the visitor refused it.',
  )
  assert.equal(
    sentence({ reason: 'region', why: { region: { regions: 'US,CA', place: { country: 'DE', source: 'request' } } } }),
    'Not sent: the channel sends only US,CA; this event came from DE.',
  )
  assert.equal(
    sentence({ reason: 'identityMissing', why: { identityMissing: { needs: [['email'], ['ip', 'userAgent']] } } }),
    'Not sent: the vendor cannot tell who this is. It needs email, or ip and userAgent.',
  )
  assert.equal(
    sentence({ reason: 'tooOld', why: { tooOld: { ageMs: 8 * 86_400_000, maxAgeMs: 7 * 86_400_000 } } }),
    'Not sent: the event was 8 d old, and the vendor accepts none older than 7 d.',
  )
  assert.equal(
    sentence({ reason: 'filtered', why: { filtered: { plugin: 'botFilter' } } }),
    'Not sent: the plugin botFilter filtered the event.',
  )
})

test('what a vendor said stands in the sentence as text', () => {
  const attempts = [{ at: 0, durationMs: 1, status: 400, message: '<b>value</b> must be > 0' }]
  assert.match(sentence({ status: 'refused', reason: 'payloadRefused', attempts }), /“<b>value<\/b> must be > 0”/)
})

test('the setting that can be changed is named', () => {
  assert.equal(explain(delivery({ reason: 'region' }), 'x').action, 'regions')
  assert.equal(explain(delivery({ status: 'pending', reason: 'keyRejected' }), 'x').action, 'key')
})

test('changes are found by path, added and removed fields too', () => {
  const before = { data: { value: 99, currency: 'USD' }, a: [1] }
  const after = { data: { value: 91.67, currency: 'USD', note: 'x' }, a: [1] }
  assert.deepEqual(changesOf(before, after), [
    { path: 'data.value', before: 99, after: 91.67 },
    { path: 'data.note', before: undefined, after: 'x' },
  ])
  assert.deepEqual(changesOf(before, before), [])
})

test('a request as curl is safe to paste: no text of it ends its quotes', () => {
  const text = curlOf({
    method: 'POST',
    url: 'https://v.example/?a=1&b=2',
    headers: { 'x-a': "it's" },
    body: `{"a":"'; rm -rf /"}`,
  })
  assert.equal(
    text,
    `curl -X POST 'https://v.example/?a=1&b=2' \\\n  -H 'x-a: it'\\''s' \\\n  --data-raw '{"a":"'\\''; rm -rf /"}'`,
  )
})

test('a body that is JSON is indented, any other is as it is', () => {
  assert.equal(bodyText('{"a":1}'), '{\n  "a": 1\n}')
  assert.equal(bodyText('<html>'), '<html>')
  assert.equal(bodyText(undefined), '')
})

test('the condition of a channel’s rule that was false stands in the sentence', () => {
  const filtered = (path: string, condition: unknown) =>
    sentence({ reason: 'filtered', why: { filtered: { rule: { path, condition } } } })
  assert.equal(
    filtered('filter.data.value.$gte', 10),
    'Not sent: a rule of the channel requires that data.value is at least 10.',
  )
  assert.equal(
    filtered('filter.eventName.$in', ['Purchase', 'Lead']),
    'Not sent: a rule of the channel requires that eventName is one of “Purchase” and “Lead”.',
  )
  assert.match(filtered('filter.eventName', 'Lead'), /requires that eventName is “Lead”\.$/)
  assert.match(filtered('filter.$or', [{ eventName: 'Lead' }]), /requires that \$or: /)
  assert.match(filtered('rename.old', null), /old is never delivered/)
  assert.match(filtered('sample', 0.1), /10 % of visitors/)
  const refused = { status: 'dead', reason: 'payloadRefused', why: { payloadRefused: { rule: 3 } } } as const
  assert.match(sentence(refused), /^Rule 3 of the channel/)
})
