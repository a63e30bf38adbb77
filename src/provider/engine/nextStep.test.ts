import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '#provider/form/provider.ts'
import { type StepSpec, inSteps as stepsInOrder } from '#provider/form/steps.ts'
import { buildBatches } from './buildBatches.ts'
import { buildRequests } from './buildRequests.ts'
import { anInput, mirror } from './mirror.fixture.ts'
import { maxSteps, stepResult } from './nextStep.ts'

const step = (n: number): StepSpec => ({ url: `https://mirror.example/${n}`, json: { n } })
const inSteps = (more: Partial<Provider> = {}): Provider => ({
  ...mirror,
  request: () => ({ next: ({ length }) => (length < 2 ? step(length) : undefined) }),
  ...more,
})
const build = (provider: Provider, given: Parameters<typeof anInput>[0] = {}) => {
  const built = buildRequests('mirror', provider, anInput(given))
  return 'skipped' in built ? assert.fail(built.skipped) : built
}
const urlsOf = ({ requests }: { requests: { url: string }[] }) => requests.map(({ url }) => url)

test('the next step is built after those whose results are known; after the last one there is none', () => {
  assert.deepEqual(urlsOf(build(inSteps())), ['https://mirror.example/0'])
  assert.deepEqual(urlsOf(build(inSteps(), { stepResults: [undefined] })), ['https://mirror.example/1'])
  assert.deepEqual(urlsOf(build(inSteps(), { stepResults: [undefined, '7'] })), [])
})

test('a step that holds a raw contact is not sent', () => {
  const leaking = inSteps({
    request: () => ({ next: ({ length }) => ({ ...step(length), text: 'a@b.example', json: undefined }) }),
  })
  assert.deepEqual(buildRequests('mirror', leaking, anInput()), { skipped: 'payloadRefused' })
})

test('every step is sent to the test mode; where one has none, the steps end', () => {
  const toTestMode: Provider['toTestMode'] = (request) =>
    request.url.endsWith('0') ? { ...request, url: `${request.url}/test` } : undefined
  const { requests, nextStep } = build(inSteps({ toTestMode }), { testMode: true })
  assert.deepEqual([requests[0]!.url, nextStep!(['x'])], ['https://mirror.example/0/test', undefined])
})

test('steps without an end are a bug of the provider', () => {
  const { nextStep } = build(inSteps({ request: () => ({ next: () => step(0) }) }))
  assert.throws(() => nextStep!(Array(maxSteps).fill('x')), /more than 20 steps/)
})

test('events in steps are batches of their own', () => {
  const mixed = inSteps({
    batch: { maxEvents: 10, listPath: 'list' },
    request: ({ event }) =>
      event.eventId.startsWith('s')
        ? { next: ({ length }) => (length < 1 ? step(0) : undefined) }
        : { url: 'https://mirror.example/in', json: { list: [event.eventId] } },
  })
  const inputs = ['s1', 'a', 's2', 'b'].map((eventId) => anInput({ event: { eventId } }))
  const { batches } = buildBatches('mirror', mixed, inputs)
  assert.deepEqual(
    batches.map(({ eventIndexes, nextStep }) => [eventIndexes, Boolean(nextStep)]),
    [
      [[1, 3], false],
      [[0], true],
      [[2], true],
    ],
  )
})

test('the result of a step is the text or number at its path, at most 512 characters of it', () => {
  const resultOf = (json: unknown, resultPath?: string) =>
    stepResult(
      { ...(resultPath && { resultPath }) },
      { status: 200, headers: {}, body: JSON.stringify(json), durationMs: 1 },
    )
  assert.deepEqual(
    [resultOf({ a: { id: 7 } }, 'a.id'), resultOf([{ id: 'x' }], '0.id'), resultOf({ id: 1 })],
    ['7', 'x', undefined],
  )
  for (const id of ['', null, {}, [], true, 'x'.repeat(513)]) assert.equal(resultOf({ id }, 'id'), undefined)
  assert.equal(stepResult({ resultPath: 'id' }, { failed: 'timeout', message: '', durationMs: 1 }), undefined)
})

test('steps whose order is known from the start are sent one after the other', () => {
  const { next } = stepsInOrder([step(0), step(1)])
  assert.deepEqual([next([]), next([undefined]), next([undefined, 'x'])], [step(0), step(1), undefined])
})
