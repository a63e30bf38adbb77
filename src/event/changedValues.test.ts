import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openKeyring } from '#account/keyring.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { cases } from '../../test/fake/cases.ts'
import { ingestBody } from './ingest.ts'
import { parseObject } from './parseBody.ts'
import { openRecord, recordEvents, sealRecord } from './record.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')
const now = Date.UTC(2026, 10, 20)
const tag = { tagId: 'tag_1', teamId: 'team_1' }
const deps = { brand: 'Service', keys, intakeRate: unlimitedIntake }
const caller = { userId: 'crm-1', hasExplicitUserId: true }
const source = { tag, caller, trusted: true, receivedAt: now }

/** The text of an event with these members, as JSON text. */
const eventText = (members: string) => `{"eventName":"Lead","eventId":"e-1","timestamp":${now},${members}}`

/** The stored part of a body, and the warnings of its first event. */
function ingested(text: string) {
  const { item, drafts } = ingestBody(Buffer.from(text), source, deps)
  const [first] = recordEvents(openRecord(sealRecord([item!.part], tag, keys), 'tag_1', 'team_1', keys))
  return { event: first!.event, warnings: drafts.results[0]!.warnings ?? [] }
}

test('half a surrogate pair is replaced by U+FFFD in values and names, and the answer warns of it', () => {
  const { event, warnings } = ingested(
    eventText(String.raw`"data":{"title":"a\ud83d","items":["\uDE00"],"k\udfff":1,"whole":"\ud83d\ude00"}`),
  )
  assert.deepEqual(event.data, { title: 'a\ufffd', items: ['\ufffd'], whole: '😀', 'k\ufffd': 1 })
  assert.deepEqual(warnings, [
    '"data.title" contains an unpaired surrogate, which is replaced by U+FFFD',
    '"data.items.0" contains an unpaired surrogate, which is replaced by U+FFFD',
    '"data.k\ufffd" has an unpaired surrogate in its name, which is replaced by U+FFFD',
  ])
})

test('a number that is too large for any receiver is passed on as null, and the answer warns of it', () => {
  const { event, warnings } = ingested(eventText('"data":{"value":1e400,"tax":-1E+999,"shipping":1e30}'))
  assert.deepEqual(event.data, { value: null, tax: null, shipping: 1e30 })
  assert.deepEqual(warnings, [
    '"data.value" is too large for a number, so it is passed on as null: send it as text',
    '"data.tax" is too large for a number, so it is passed on as null: send it as text',
  ])
})

test('an integer that loses digits is told, and one beyond 2^53 that keeps them is not', () => {
  const { warnings } = ingested(
    eventText(
      '"data":{"orderId":820982911946154508,"kept":[9007199254740992,-9007199254740991],"b":-9007199254740993}',
    ),
  )
  assert.deepEqual(warnings, [
    '"data.orderId" is an integer above 2^53, so it loses digits: send it as text',
    '"data.b" is an integer above 2^53, so it loses digits: send it as text',
  ])
})

test('an event has at most five warnings of changed values', () => {
  const members = Array.from({ length: 9 }, (_, n) => `"v${n}":1e999`)
  assert.equal(ingested(eventText(`"data":{${members.join(',')}}`)).warnings.length, 5)
})

test('an event that holds whole characters and plain numbers is stored as it came, without a warning', () => {
  const text = eventText('"data":{"a":"\\u00e9\\ud83d\\ude00 \\\\ud83d","n":[0.1,1e21,9007199254740991]}')
  const { event, warnings } = ingested(text)
  assert.deepEqual([event, warnings], [JSON.parse(text), []])
})

test('what is stored is well-formed and has no number that JSON cannot write, whatever was sent', () => {
  const anyText = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 6 })
  const anyData = fc.dictionary(anyText, fc.oneof(anyText, fc.array(anyText), fc.double()), { maxKeys: 5 })
  fc.assert(
    fc.property(anyData, (data) => {
      const { event } = ingested(eventText(`"data":${JSON.stringify(data)}`))
      const text = Buffer.from(JSON.stringify(event)).toString()
      assert.doesNotMatch(text, /\\ud[89a-f]/)
      assert.deepEqual(JSON.parse(text), event)
    }),
    { numRuns: cases(200) },
  )
})

test('the other calls of a tag store whole characters too', () => {
  assert.deepEqual(parseObject(Buffer.from(String.raw`{"key":"size","value":"x\udc00"}`)), {
    key: 'size',
    value: 'x\ufffd',
  })
})
