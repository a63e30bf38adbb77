import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import { readFql } from '#import/segment/fql.ts'
import { compileFilter } from '#rule/compileFilter.ts'
import { segment } from '#sources/segment.ts'
import { exportsOf } from './oracle.ts'

const library = '@segment/destination-subscriptions'
type Subscriptions = { parseFql(text: string): { error?: unknown }; validate(ast: unknown, message: unknown): boolean }

/** A Segment message as an event, as the source reads it from the SDKs. */
function eventOf(message: object): TagEvent {
  const body = Buffer.from(JSON.stringify(message))
  const input = { method: 'POST', path: '/v1/track', query: new URLSearchParams(), headers: {}, body }
  const path = `/v1/${(message as { type: string }).type}`
  const { payload } = segment.parse!(body)
  const [read] = segment.read({
    ...input,
    payload,
    path,
    trusted: true,
    brand: 'Service',
    receivedAt: 1_700_000_000_000,
  })
  return read!.event as unknown as TagEvent
}

const text = fc.constantFrom('a', 'pro', 'Pro plan', 'b-c')
const number = fc.constantFrom(0, 5, 10, 12.5)
const properties = fc.record(
  { plan: text, total: number, price: number, seats: number, isNew: fc.boolean() },
  { requiredKeys: [] },
)
const message = fc.record({
  type: fc.constantFrom('track', 'page', 'screen', 'group'),
  event: fc.constantFrom('Order Completed', 'Product Added', 'Signed Up', 'Own event'),
  properties,
  context: fc.constant({ page: { url: 'https://shop.example/kasse', path: '/kasse', title: 'Kasse' } }),
})

const sign = fc.constantFrom('=', '!=')
const comparison = fc.oneof(
  fc.constantFrom('type = "track"', 'type != "page"', 'type = "screen"'),
  fc
    .tuple(sign, fc.constantFrom('Order Completed', 'Signed Up', 'Own event'))
    .map(([operator, name]) => `event ${operator} "${name}"`),
  fc.tuple(sign, text).map(([operator, each]) => `properties.plan ${operator} "${each}"`),
  fc.tuple(sign, number).map(([operator, each]) => `properties.seats ${operator} ${each}`),
  fc
    .tuple(fc.constantFrom('seats', 'total', 'price'), fc.constantFrom('<', '<=', '>', '>='), number)
    .map(([name, operator, each]) => `properties.${name} ${operator} ${each}`),
  // The library compares `!= true` with the text `true`, which no truth value equals.
  fc.boolean().map((each) => `properties.isNew = ${each}`),
  fc.constantFrom('properties.plan = null', 'properties.plan != null', 'context.page.title = "Kasse"'),
)
const call = fc.constantFrom(
  'contains(properties.plan, "ro")',
  'match(properties.plan, "Pro*")',
  '!contains(properties.plan, "ro")',
  'contains(context.page.url, "/kasse")',
)
/** The library's parser confuses functions in parentheses, and adjacent `and` and `or`. */
const listOf = (each: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(' and ', ' or '), fc.array(each, { minLength: 1, maxLength: 3 }))
    .map(([word, all]) => all.join(word))
const group = listOf(comparison).map((inner) => `(${inner})`)
const expression = listOf(
  fc.oneof({ weight: 3, arbitrary: fc.oneof(comparison, call) }, { weight: 1, arbitrary: group }),
)

test(`the filter of a trigger in FQL accepts the messages that ${library} accepts`, (t) => {
  const oracle = exportsOf(library) as Subscriptions | undefined
  if (!oracle && process.env.NEEDS_SDKS) assert.fail(`${library} is not installed`)
  if (!oracle) return t.skip(`${library} is not installed: npm run test:oracle installs it.`)
  let compared = 0
  fc.assert(
    fc.property(expression, message, (fql, each) => {
      // Only a track has an event, and a group has traits.
      const { event, properties: own, ...rest } = each
      const sent = {
        ...rest,
        messageId: 'm',
        anonymousId: 'v',
        ...(each.type === 'track' && { event }),
        ...(each.type === 'group' ? { traits: {} } : { properties: own }),
      }
      const ast = oracle.parseFql(fql)
      // The library's parser does not support every expression in parentheses.
      if (ast.error) return
      compared++
      const found = readFql(fql)
      assert.ok('filter' in found || 'none' in found, `${fql}: ${JSON.stringify(found)}`)
      const isOurs =
        'filter' in found &&
        (Object.keys(found.filter).length === 0 || compileFilter(found.filter).test({ event: eventOf(sent) }))
      assert.equal(isOurs, oracle.validate(ast, sent), `${fql} of ${JSON.stringify(sent)}`)
    }),
    { numRuns: 2_000 },
  )
  assert.ok(compared >= 500, `${compared} pairs`)
})
