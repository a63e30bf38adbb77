import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Job, RunResult } from '#sandbox/job.ts'
import {
  acceptEvents,
  waitForStatus as endsAs,
  journeyOf,
  openDeliveryHarness,
} from '../../test/fake/deliveryHarness.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import type { AttemptContext } from './attemptContext.ts'
import { type RunDeps, runCustomerCode } from './runCustomerCode.ts'

const webhook: CustomerCode = { source: 'CODE', values: 'VALUES', functionName: 'process', argument: 'request' }
const playground: CustomerCode = { ...webhook, functionName: 'tag', argument: 'body' }
const script = aScript('scr_1', { secrets: { CODE: { secretId: 'sec_1', version: 3 } } })
const person = { userId: 'usr_1', email: 'jane@example.com' }
const request: WireRequest = {
  method: 'POST',
  url: 'code:run',
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
}

/** Runs code with this result, and returns the sandbox job too. */
async function run(code: CustomerCode, result: RunResult) {
  const jobs: Job[] = []
  const context: AttemptContext = {
    delivery: aDelivery('dlv_1', 'scr_1'),
    tag: aTag([script]),
    provider: { ...aProvider('webhook'), code },
    script,
    outgoing: {
      event: anEvent(1),
      person,
      identity: identityOf(person),
      custom: {},
      captured: {},
      consent: unknownConsent,
    },
    secrets: { CODE: 'the code', VALUES: '{"KEY":"canary-1"}' },
  }
  const deps = {
    brand: 'Shop',
    tagUrl: (tagId: string) => `https://t.example/t/${tagId}`,
    async runCode(job: Job) {
      jobs.push(job)
      return result
    },
  } as unknown as RunDeps
  const { durationMs, ...answer } = await runCustomerCode(request, code, context, deps)
  assert.equal(typeof durationMs, 'number')
  return { answer, job: jobs[0]! }
}
const value = (given: unknown): RunResult => ({ value: given, logs: [] })

test('a webhook gets its event as a request to its own address with the user id, and the status of its Response decides', async () => {
  const { answer, job } = await run(webhook, value({ status: 429, headers: [['Retry-After', '9']], body: 'later' }))
  assert.deepEqual(answer, { status: 429, headers: { 'retry-after': '9' }, body: 'later' })
  assert.deepEqual(job.params, {
    request: {
      method: 'POST',
      url: 'https://t.example/t/tag_1/webhook/scr_1',
      headers: [
        ['content-type', 'application/json'],
        ['shopuserid', 'usr_1'],
      ],
      body: '{"a":1}',
    },
    secrets: { KEY: 'canary-1' },
    required: {},
  })
  assert.deepEqual(
    [job.key, job.teamId, job.resultKind, Object.keys(job.calls ?? {}).length],
    ['scr_1/sec_1.3', 'team_1', 'response', 5],
  )
})

test('other code gets the members of the body and no host functions, and any return value counts as delivered', async () => {
  const { answer, job } = await run(playground, value({ done: true }))
  assert.deepEqual(answer, { status: 200, headers: {}, body: '{"done":true}', codeLog: 'returned {"done":true}' })
  const params = { a: 1, secrets: { KEY: 'canary-1' }, required: {} }
  assert.deepEqual([job.params, job.calls, job.resultKind], [params, {}, 'value'])
})

const ends: [RunResult, object][] = [
  [
    { error: { message: 'Error: no', line: 4 }, logs: [] },
    { failed: 'broken', message: 'Error: no (line 4)' },
  ],
  [
    { breach: 'wall', message: 'Too long.', logs: [] },
    { failed: 'killed', message: 'Too long.' },
  ],
  [
    { breach: 'wall', isWaiting: true, message: 'Too long.', logs: [] },
    { failed: 'timeout', message: 'Too long.' },
  ],
  [
    { breach: 'memory', message: 'Too much.', logs: [] },
    { failed: 'killed', message: 'Too much.' },
  ],
  [
    { breach: 'params', message: 'Too large.', logs: [] },
    { failed: 'tooLarge', message: 'Too large.' },
  ],
  [
    { notRun: 'off', message: 'Off.', logs: [] },
    { failed: 'broken', message: 'Off.' },
  ],
  [value({ status: 42 }), { failed: 'broken', message: 'The code did not return a Response.' }],
]
for (const [result, expected] of ends)
  test(`a run that ends by ${JSON.stringify(result)} is ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual((await run(webhook, result)).answer, expected)
  })

test('the log of the code is recorded with the attempt, without secrets and personal data', async () => {
  const lines = ['key canary-1', 'of Jane@Example.com'].map((text) => ({ level: 'log' as const, text }))
  const { answer } = await run(playground, { value: null, logs: lines })
  assert.equal(answer.codeLog, 'key •••\nof •••')
  const long = await run(playground, { value: null, logs: [{ level: 'log', text: 'x'.repeat(5_000) }] })
  assert.equal(long.answer.codeLog?.length, 1_000)
})

test('the worker passes an event to the code, and an event that the code added does not come back to it', async () => {
  const jobs: Job[] = []
  const harness = await openDeliveryHarness(aTag([aScript('scr_1')]), { code: webhook })
  const runs = async (job: Job): Promise<RunResult> => {
    jobs.push(job)
    return { value: { status: 204, headers: [], body: '' }, logs: [{ level: 'log', text: 'got it' }] }
  }
  harness.start({ runCode: runs, log: silentLog })
  await acceptEvents(harness, anEvent(harness.clock.now()))
  await endsAs(harness, 'delivered 1')
  assert.equal((await journeyOf(harness, 'event-1'))?.deliveries[0]?.attempts[0]?.message, 'got it')
  await acceptEvents(harness, anEvent(harness.clock.now(), { eventId: 'event-2' }), { originScriptIds: ['scr_1'] })
  await endsAs(harness, 'skipped filtered 0', 'event-2')
  assert.deepEqual([jobs.length, harness.sent.length], [1, 0])
})
