import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DeliveryRow } from '#contract/delivery.ts'
import type { EventRow } from '#contract/journey.ts'
import { errorGroups } from './errorGroups.ts'
import { apiFilterOf, hasFilter, isReplayable, timeOf, toggled, withoutFilters } from './filters.ts'
import { addMessages, type LiveRowMessage, noLiveRows, passes } from './liveRows.ts'
import { fitOf, matchEntries } from './match.ts'

describe('filters', () => {
  test('an address becomes the filter of the control API; what is no value of it is left out', () => {
    const query = {
      name: 'Purchase',
      status: 'dead,nonsense,refused',
      http: '400,x,9',
      visitor: 'usr_1',
      order: 'A-7',
      customer: 'C-42',
      channel: 'scr_1',
      from: '2026-11-23T00:00:00Z',
    }
    assert.deepEqual(apiFilterOf(query), {
      eventName: 'Purchase',
      userId: 'usr_1',
      orderId: 'A-7',
      customerId: 'C-42',
      scriptId: 'scr_1',
      status: ['dead', 'refused'],
      httpStatus: [400],
      from: 1_795_392_000_000,
    })
    assert.deepEqual(apiFilterOf({}), {})
  })

  test('a list is sent again by its filters only where a replay has each of them', () => {
    assert.ok(isReplayable({ name: 'Purchase', status: 'dead', channel: 'scr_1', from: '1' }))
    for (const name of ['visitor', 'order', 'customer', 'reason', 'http'])
      assert.ok(!isReplayable({ [name]: 'x' }), name)
  })

  test('times are epoch ms or ISO 8601', () => {
    assert.deepEqual(
      [timeOf('12'), timeOf('1970-01-01T00:00:01Z'), timeOf('soon'), timeOf('')],
      [12, 1_000, undefined, undefined],
    )
  })

  test('a value that is toggled twice is as before', () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('dead', 'refused', 'held')),
        fc.constantFrom('dead', 'refused', 'held'),
        (list, value) => {
          const text = list.join(',') || undefined
          const twice = toggled(toggled(text, value), value)
          assert.deepEqual(new Set(twice?.split(',')), new Set(text?.split(',')))
        },
      ),
    ))

  test('Clear takes the filters away and nothing else', () => {
    const query = { name: 'x', range: '7d' }
    assert.deepEqual(
      [hasFilter(query), withoutFilters(query), hasFilter({ range: '7d' })],
      [true, { range: '7d' }, false],
    )
  })
})

const event = (n: number, more: Partial<EventRow> = {}): EventRow => ({
  eventId: `e${n}`,
  eventName: 'PageView',
  userId: 'u',
  receivedAt: n,
  counts: { pending: 2 },
  ...more,
})
const delivery = (n: number, status: DeliveryRow['status'], id = `d${n}`) =>
  ({ deliveryId: id, eventId: `e${n}`, scriptId: 'scr_1', status }) as DeliveryRow

describe('live rows', () => {
  test('an event stands once, newest first, whatever the order and the repeats', () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 })), (numbers) => {
        const messages: LiveRowMessage[] = numbers.map((n) => ({ kind: 'event', event: event(n) }))
        const { rows } = addMessages(noLiveRows, messages)
        assert.deepEqual(
          rows.map(({ at }) => at),
          [...new Set(numbers)].sort((one, other) => other - one),
        )
      }),
    ))

  test('deliveries move the counts of their event, and the sum stays', () => {
    let state = addMessages(noLiveRows, [{ kind: 'event', event: event(1) }])
    for (const status of ['pending', 'delivered', 'delivered'] as const)
      state = addMessages(state, [{ kind: 'delivery', delivery: delivery(1, status) }])
    state = addMessages(state, [{ kind: 'delivery', delivery: delivery(1, 'dead', 'other') }])
    const [row] = state.rows
    assert.ok(row?.kind === 'event')
    assert.deepEqual(row.event.counts, { pending: 0, delivered: 1, dead: 1 })
    assert.deepEqual(row.scriptIds, ['scr_1'])
  })

  test('the oldest rows beyond the limit are dropped', () => {
    const messages = Array.from({ length: 30 }, (_, n): LiveRowMessage => ({ kind: 'event', event: event(n) }))
    assert.deepEqual(
      addMessages(noLiveRows, messages, 3).rows.map(({ at }) => at),
      [29, 28, 27],
    )
  })

  test('a filter hides refusals and what does not match', () => {
    const refusal = {
      kind: 'refusal',
      id: 'r',
      refusal: { at: 5, code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag' },
    } as const
    const { rows } = addMessages(noLiveRows, [{ kind: 'event', event: event(1) }, refusal])
    const shown = (filter: Parameters<typeof passes>[1]) =>
      rows.filter((row) => passes(row, filter)).map(({ kind }) => kind)
    assert.deepEqual(shown({}), ['refusal', 'event'])
    assert.deepEqual(shown({ eventName: 'PageView' }), ['event'])
    assert.deepEqual(shown({ status: ['dead'] }), [])
  })
})

describe('error groups', () => {
  test('messages that differ by an id, a number or a quoted value are one error; the counts add up', () => {
    const row = (message: string, at: number) =>
      ({ ...delivery(1, 'refused'), reason: 'payloadRefused', httpStatus: 400, message, at }) as DeliveryRow
    const groups = errorGroups([row('order "a" has 3 items', 1), row('order "b" has 4 items', 9), row('no key', 2)])
    assert.deepEqual(
      groups.map(({ count, lastAt, message }) => [count, lastAt, message]),
      [
        [2, 9, 'order "b" has 4 items'],
        [1, 2, 'no key'],
      ],
    )
  })
})

describe('the palette', () => {
  test('what begins with the words goes before what contains them, accents and case aside', () => {
    assert.deepEqual(
      [fitOf('Événements', 'eve'), fitOf('Live events', 'eve'), fitOf('seven', 'eve'), fitOf('x', 'eve')],
      [3, 2, 1, 0],
    )
    const entries = ['seven', 'Live events', 'Events'].map((text) => ({ id: text, group: 'page' as const, text }))
    assert.deepEqual(
      matchEntries(entries, 'eve').map(({ text }) => text),
      ['Events', 'Live events', 'seven'],
    )
  })
  test('an entry is found by its words in any order, and by the other name that people know', () => {
    assert.deepEqual([fitOf('Create a tag', 'tag create'), fitOf('Create a tag', 'new tag')], [2, 0])
    const entries = [{ id: 'create', group: 'action' as const, text: 'Create a tag', also: 'New tag' }]
    assert.equal(matchEntries(entries, 'new tag').length, 1)
    assert.equal(matchEntries(entries, 'old tag').length, 0)
  })
})
