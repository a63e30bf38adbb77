import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import type { Plugin, PluginWorld, Ran } from '#plugin/plugin.ts'
import { plugins } from './index.ts'

const now = Date.UTC(2026, 10, 20)
const all = Object.entries(plugins) as [string, Plugin][]
const from = (event: Partial<TagEvent>) =>
  ({ eventId: 'e-1', timestamp: now, eventName: 'PageView', ...event }) as TagEvent
const world = (on: Partial<PluginWorld> = {}): PluginWorld => ({ history: {}, now, ...on })

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
const anyWorld = fc.record({
  history: fc.oneof(fc.constant({}), fc.record({ firstPurchase: fc.string() })),
  now: fc.constant(now),
  userAgent: fc.oneof(
    fc.string(),
    fc.constantFrom('Googlebot/2.1', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0'),
  ),
  rates: fc.constant({ base: 'EUR', rates: { USD: 1.08, JPY: 170 } }),
})

const eventsIn = (ran: Ran): readonly TagEvent[] => ('filtered' in ran ? [] : [ran.event, ...(ran.more ?? [])])

for (const [name, form] of all) {
  for (const { shows, settings, event, on, gives } of form.examples)
    test(`${name}: ${shows}`, () => {
      assert.deepEqual(form.check(settings), [])
      const ran = form.run(frozen(from(event)), settings, frozen(world(on)))
      const expected =
        'filtered' in gives
          ? gives
          : {
              event: from(gives.event),
              ...(gives.more && { more: gives.more.map(from) }),
              ...(gives.history && { history: gives.history }),
            }
      assert.deepEqual(ran, expected)
    })

  test(`${name} throws for no event, keeps id and time, adds under ids of its own, and says the same when it is run again`, () => {
    const settings = fc.constantFrom(...form.examples.map((each) => each.settings))
    fc.assert(
      fc.property(anyEvent, settings, anyWorld, (event, chosen, on) => {
        const ran = form.run(frozen(event as unknown as TagEvent), chosen, frozen(on))
        const [same, ...more] = eventsIn(ran)
        if (same) assert.deepEqual([same.eventId, same.timestamp], [event.eventId, event.timestamp])
        const ids = more.map(({ eventId }) => eventId)
        assert.equal(new Set([event.eventId, ...ids]).size, ids.length + 1)
        for (const each of eventsIn(ran)) assert.equal(typeof each.eventName, 'string')
        const history = 'history' in ran ? { ...on.history, ...ran.history } : on.history
        assert.deepEqual(form.run(event as unknown as TagEvent, chosen, { ...on, history }), ran)
      }),
      { numRuns: 500 },
    )
  })

  test(`${name} takes no setting that it does not know`, () => {
    assert.notDeepEqual(form.check({ ...form.examples[0]!.settings, unknown: 1 }), [])
  })
}
