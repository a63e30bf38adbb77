import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import { pluginIds } from '#contract/pluginIds.ts'
import type { Plugin, PluginContext, PluginResult } from '#plugin/plugin.ts'
import { cases } from '../../test/fake/cases.ts'
import { plugins } from './index.ts'

const now = Date.UTC(2026, 10, 20)
const all = Object.entries(plugins) as [string, Plugin][]

test('the contract lists the plugins of this build', () => {
  assert.deepEqual([...pluginIds], Object.keys(plugins))
})
const from = (event: Partial<TagEvent>) =>
  ({ eventId: 'e-1', timestamp: now, eventName: 'PageView', ...event }) as TagEvent
const pluginContext = (deps: Partial<PluginContext> = {}): PluginContext => ({ history: {}, now, ...deps })

function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

const anyAmount = fc.oneof(fc.double(), fc.jsonValue(), fc.constantFrom('12.50', -0, 1e308))
const anyData = fc.oneof(
  fc.constant(undefined),
  fc.record(
    {
      value: anyAmount,
      currency: fc.oneof(fc.constantFrom('EUR', ' usd ', 'JPY', 'toString'), fc.jsonValue()),
      contents: fc.oneof(fc.array(fc.oneof(fc.record({ item_price: anyAmount }), fc.jsonValue())), fc.jsonValue()),
      discounts: fc.oneof(
        fc.array(fc.oneof(fc.record({ value: anyAmount, type: fc.jsonValue() }), fc.jsonValue())),
        fc.jsonValue(),
      ),
      tax: anyAmount,
      isNewCustomer: fc.jsonValue(),
    },
    { requiredKeys: [] },
  ),
)
const anyEvent = fc.record({
  eventName: fc.oneof(fc.constantFrom('Purchase', 'PageView', '__proto__', 'constructor'), fc.string({ minLength: 1 })),
  eventId: fc.string({ minLength: 1 }),
  timestamp: fc.integer({ min: 0, max: now }),
  data: anyData,
})
const anyContext = fc.record({
  history: fc.oneof(fc.constant({}), fc.record({ firstPurchase: fc.string() })),
  now: fc.constant(now),
  userAgent: fc.oneof(
    fc.string(),
    fc.constantFrom('Googlebot/2.1', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0'),
  ),
  rates: fc.constant({ base: 'EUR', rates: { USD: 1.08, JPY: 170 } }),
})

const eventsIn = (pluginResult: PluginResult): readonly TagEvent[] =>
  'filtered' in pluginResult ? [] : [pluginResult.event, ...(pluginResult.more ?? [])]

for (const [name, form] of all) {
  for (const { title, settings, event, context, result } of form.examples)
    test(`${name}: ${title}`, () => {
      assert.deepEqual(form.check(settings), [])
      const pluginResult = form.run(frozen(from(event)), settings, frozen(pluginContext(context)))
      const expected =
        'filtered' in result
          ? result
          : {
              event: from(result.event),
              ...(result.more && { more: result.more.map(from) }),
              ...(result.history && { history: result.history }),
            }
      assert.deepEqual(pluginResult, expected)
    })

  test(`${name} throws for no event, keeps id and timestamp, adds events with their own ids, and gives the same result in a second run`, () => {
    const settings = fc.constantFrom(...form.examples.map((each) => each.settings))
    fc.assert(
      fc.property(anyEvent, settings, anyContext, (event, chosen, deps) => {
        const pluginResult = form.run(frozen(event as unknown as TagEvent), chosen, frozen(deps))
        const [same, ...more] = eventsIn(pluginResult)
        if (same) assert.deepEqual([same.eventId, same.timestamp], [event.eventId, event.timestamp])
        const ids = more.map(({ eventId }) => eventId)
        assert.equal(new Set([event.eventId, ...ids]).size, ids.length + 1)
        for (const each of eventsIn(pluginResult)) assert.equal(typeof each.eventName, 'string')
        const history = 'history' in pluginResult ? { ...deps.history, ...pluginResult.history } : deps.history
        assert.deepEqual(form.run(event as unknown as TagEvent, chosen, { ...deps, history }), pluginResult)
      }),
      { numRuns: cases(500) },
    )
  })

  test(`${name} accepts no unknown setting`, () => {
    assert.notDeepEqual(form.check({ ...form.examples[0]!.settings, unknown: 1 }), [])
  })
}
