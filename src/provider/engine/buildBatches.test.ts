import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Provider } from '#provider/form/provider.ts'
import { buildBatches } from './buildBatches.ts'
import { buildRequests } from './buildRequests.ts'
import { anInput, mirror } from './mirror.fixture.ts'

type Bulk = { group?: string; list: object[] }

/** Joins requests under `list`. `group`, a member of the event's data, is outside the list. */
const bulk: Provider = {
  ...mirror,
  request: ({ event }) => ({
    url: 'https://bulk.example/in',
    json: { group: event.data?.group, list: [{ id: event.eventId, text: event.data?.text }] },
  }),
  batch: { maxEvents: 3, listPath: 'list' },
}
const inputs = (rows: readonly { group?: string; text?: string; eventName?: string }[]) =>
  rows.map(({ eventName = 'PageView', ...data }, n) => anInput({ event: { eventName, eventId: `evt-${n}`, data } }))
const idsIn = (body: string | undefined) => (JSON.parse(body!) as { list: { id: string }[] }).list.map(({ id }) => id)
const batched = (provider: Provider, rows: Parameters<typeof inputs>[0]) => buildBatches('bulk', provider, inputs(rows))

test('events are joined up to as many as the vendor takes, in their order', () => {
  const { batches, skipped } = batched(
    bulk,
    Array.from({ length: 7 }, () => ({})),
  )
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes),
    [[0, 1, 2], [3, 4, 5], [6]],
  )
  assert.deepEqual(
    batches.map(({ request }) => idsIn(request.body)),
    [['evt-0', 'evt-1', 'evt-2'], ['evt-3', 'evt-4', 'evt-5'], ['evt-6']],
  )
  assert.deepEqual(skipped, [])
})

test('events that differ in anything outside the list go apart', () => {
  const { batches } = batched(bulk, [{ group: 'a' }, { group: 'b' }, { group: 'a' }])
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes),
    [[0, 2], [1]],
  )
  assert.equal(JSON.parse(batches[1]!.request.body!).group, 'b')
})

test('a body holds no more bytes than the vendor takes', () => {
  const batch = { maxEvents: 100, maxBytes: 1_000, listPath: 'list' } as const
  const { batches } = batched(
    { ...bulk, batch },
    Array.from({ length: 20 }, () => ({ text: 'x'.repeat(300) })),
  )
  for (const { request } of batches) assert.ok(Buffer.byteLength(request.body!) <= 1_000)
  assert.equal(batches.flatMap(({ eventIndexes }) => eventIndexes).length, 20)
})

test('one event alone goes as it would by itself', () => {
  const [input] = inputs([{ group: 'a' }])
  const built = buildRequests('bulk', bulk, input!)
  assert.deepEqual({ requests: buildBatches('bulk', bulk, [input!]).batches.map(({ request }) => request) }, built)
})

test('an event that is not sent or contains a raw contact is reported as skipped and does not affect the others', () => {
  const rows = inputs([{}, { eventName: 'Lead' }, { text: 'of a@b.example' }, {}])
  const { batches, skipped } = buildBatches('bulk', bulk, rows)
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes),
    [[0, 3]],
  )
  assert.deepEqual(skipped, [
    { skipped: 'eventNotSupported', at: 1 },
    { skipped: 'payloadRefused', at: 2 },
  ])
})

test('a vendor that takes one at a time, and an event of several requests, are not joined', () => {
  const { batch: _, ...single } = bulk
  assert.deepEqual(
    batched(single as Provider, [{}, {}]).batches.map(({ eventIndexes }) => eventIndexes),
    [[0], [1]],
  )
  const twice: Provider = {
    ...bulk,
    request: () => ['a', 'b'].map((path) => ({ url: `https://bulk.example/${path}` })),
  }
  assert.deepEqual(
    batched(twice, [{}, {}]).batches.map(({ request, eventIndexes }) => [request.url.at(-1), ...eventIndexes]),
    [
      ['a', 0],
      ['b', 0],
      ['a', 1],
      ['b', 1],
    ],
  )
})

test('where the list has another form for many, the provider joins; an event may count for more than one', () => {
  const batch = {
    maxEvents: 4,
    countEvents: () => 2,
    join: (sends: readonly { json?: unknown }[]) => ({
      url: 'https://bulk.example/many',
      json: sends.map(({ json }) => json),
    }),
  }
  const { batches } = batched({ ...bulk, batch }, [{}, {}, {}])
  assert.deepEqual(
    batches.map(({ request, eventIndexes }) => [request.url, eventIndexes.length]),
    [
      ['https://bulk.example/many', 2],
      ['https://bulk.example/in', 1],
    ],
  )
})

test('no combination of events loses an event or reports one twice', () => {
  const row = fc.record({
    group: fc.constantFrom('a', 'b'),
    text: fc.string(),
    eventName: fc.constantFrom('PageView', 'Lead', 'Quiz'),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      const { batches, skipped } = batched(bulk, rows)
      const places = [...batches.flatMap(({ eventIndexes }) => eventIndexes), ...skipped.map(({ at }) => at)]
      assert.deepEqual(
        places.sort((a, b) => a - b),
        rows.map((_, at) => at),
      )
      for (const { request, eventIndexes } of batches)
        assert.deepEqual(
          idsIn(request.body),
          eventIndexes.map((at) => `evt-${at}`),
        )
    }),
  )
})

test('where a request has several lists each is joined with its like, and all that stands in them counts', () => {
  const lists: Provider = {
    ...mirror,
    request: ({ event }) => ({
      url: 'https://bulk.example/in',
      json: { a: [event.eventId], b: event.data?.group ? [1, 2] : undefined },
    }),
    batch: { maxEvents: 4, listPath: ['a', 'b'] },
  }
  const { batches } = batched(lists, [{}, { group: 'x' }, {}])
  assert.deepEqual(
    batches.map(({ request, eventIndexes }) => [JSON.parse(request.body!), eventIndexes]),
    [
      [{ a: ['evt-0', 'evt-1'], b: [1, 2] }, [0, 1]],
      [{ a: ['evt-2'] }, [2]],
    ],
  )
})

test('headers that speak of one event stand in no joined request, and keep no events apart', () => {
  const spoken: Provider = {
    ...mirror,
    request: ({ event }) => ({
      url: 'https://bulk.example/in',
      headers: { 'x-who': event.eventId, 'x-key': 'k' },
      json: { list: [{ id: event.eventId }] },
    }),
    batch: { maxEvents: 2, listPath: 'list', singleEventHeaders: ['x-who'] },
  }
  const headers = batched(spoken, [{}, {}, {}]).batches.map(({ request }) => request.headers)
  assert.deepEqual(headers, [
    { 'content-type': 'application/json', 'x-key': 'k' },
    { 'content-type': 'application/json', 'x-who': 'evt-2', 'x-key': 'k' },
  ])
})

test('a vendor that joins by its own rule joins requests with the same key, and sends those without one alone', () => {
  const keyed: Provider = {
    ...bulk,
    batch: {
      maxEvents: 3,
      join: (requests) => ({ ...requests[0]!, json: { list: requests.flatMap(({ json }) => (json as Bulk).list) } }),
      joinKey: ({ json }) => (json as Bulk).group,
    },
  }
  const { batches } = batched(keyed, [{ group: 'a' }, { group: 'b' }, {}, { group: 'a' }, {}])
  assert.deepEqual(batches.map(({ eventIndexes }) => eventIndexes).sort(), [[0, 3], [1], [2], [4]])
})
