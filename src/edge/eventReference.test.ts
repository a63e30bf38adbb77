import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventFaults } from '#contract/edgeOperations.ts'
import { EventData, EventItem, EventPayload } from '#contract/event.ts'
import { faults } from '#contract/fault.ts'
import { providerIds } from '#contract/providerIds.ts'
import { standardEvents } from '#contract/standardEvents.ts'
import { eventFields } from '#event/eventWarnings.ts'
import { eventReference } from '#event/reference/eventReference.ts'
import { eventReferenceExamples } from '#event/reference/examples.ts'
import { openTestEdge, tagId } from './edge.fixture.ts'

/** Compares an answer with the answer in the reference; `…` at the end of a text matches any continuation. */
function assertShown(shown: unknown, got: unknown, path = 'answer'): void {
  if (typeof shown === 'string' && shown.endsWith('…')) {
    assert.ok(`${got}`.startsWith(shown.slice(0, -1)), `${path} is ${JSON.stringify(got)}`)
    return
  }
  if (typeof shown !== 'object' || shown === null) {
    assert.equal(got, shown, path)
    return
  }
  assert.deepEqual(Object.keys(got ?? {}).sort(), Object.keys(shown).sort(), path)
  for (const [name, value] of Object.entries(shown))
    assertShown(value, (got as Record<string, unknown>)[name], `${path}.${name}`)
}

for (const { title, headers = {}, query = '', body, status, answer } of eventReferenceExamples)
  test(`an event as in the reference gets the answer that is shown: ${title}`, async (t) => {
    const edge = await openTestEdge(t)
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const got = await edge.ask({ path: `/t/${tagId}/tag${query}`, headers: given, body })
    assert.equal(got.status, status, got.text)
    assertShown(answer, got.json)
  })

const text = JSON.stringify(eventReference)

test('the reference names every field, standard event and error code of the event endpoint', () => {
  for (const schema of [EventPayload, EventData, EventItem])
    for (const [name, { description }] of Object.entries(
      schema.properties as Record<string, { description?: string }>,
    )) {
      assert.ok(text.includes(`\`${name}\``), name)
      assert.ok(description || name === 'data', `${name} has no description`)
    }
  for (const name of [...eventFields, ...Object.keys(standardEvents)]) assert.ok(text.includes(`\`${name}\``), name)
  for (const name of eventFaults) assert.ok(text.includes(faults[name].code), name)
})

test('every provider that the reference names is one of the 91', () => {
  for (const name of ['facebook', 'klaviyo']) assert.ok((providerIds as readonly string[]).includes(name))
})
