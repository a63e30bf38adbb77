import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent } from '#kit/log.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Job, Ran } from '#sandbox/job.ts'
import { accept, ends as endsAs, journeyOf, openHouse } from '../../test/fake/house.ts'
import { aDelivery } from '../../test/fake/journal.ts'
import { anEvent, aProvider, aScript, aTag } from '../../test/fake/tag.ts'
import type { Ready } from './ready.ts'
import { type RunWorld, runCode } from './run.ts'

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

/** Runs code that ends like this, and gives the job besides. */
async function run(code: CustomerCode, ran: Ran) {
  const jobs: Job[] = []
  const ready: Ready = {
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
  const on = {
    brand: 'Shop',
    tagUrl: (tagId: string) => `https://t.example/t/${tagId}`,
    async runCode(job: Job) {
      jobs.push(job)
      return ran
    },
  } as unknown as RunWorld
  const { durationMs, ...answer } = await runCode(request, code, ready, on)
  assert.equal(typeof durationMs, 'number')
  return { answer, job: jobs[0]! }
}
const value = (given: unknown): Ran => ({ value: given, logs: [] })

test('a webhook is handed its event as a request to its own address, with whose it is; the status of its Response decides', async () => {
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
  })
  assert.deepEqual(
    [job.key, job.teamId, job.shape, Object.keys(job.calls ?? {}).length],
    ['scr_1/sec_1.3', 'team_1', 'response', 5],
  )
})

test('other code is handed the members of the body, can call nothing of ours, and whatever it gives delivers', async () => {
  const { answer, job } = await run(playground, value({ done: true }))
  assert.deepEqual(answer, { status: 200, headers: {}, body: '{"done":true}', codeLog: 'returned {"done":true}' })
  assert.deepEqual([job.params, job.calls, job.shape], [{ a: 1, secrets: { KEY: 'canary-1' } }, {}, 'value'])
})

const ends: [Ran, object][] = [
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
  [value({ status: 42 }), { failed: 'broken', message: 'The code gave no Response.' }],
]
for (const [ran, expected] of ends)
  test(`a run that ends by ${JSON.stringify(ran)} is ${JSON.stringify(expected)}`, async () => {
    assert.deepEqual((await run(webhook, ran)).answer, expected)
  })

test('what code logs stands with the attempt, without secrets and without whose event it is', async () => {
  const lines = ['key canary-1', 'of Jane@Example.com'].map((text) => ({ level: 'log' as const, text }))
  const { answer } = await run(playground, { value: null, logs: lines })
  assert.equal(answer.codeLog, 'key •••\nof •••')
  const long = await run(playground, { value: null, logs: [{ level: 'log', text: 'x'.repeat(5_000) }] })
  assert.equal(long.answer.codeLog?.length, 1_000)
})

test('an event goes through the worker to code and no further; one that the code made does not come back to it', async () => {
  const jobs: Job[] = []
  const house = await openHouse(aTag([aScript('scr_1')]), { code: webhook })
  const runs = async (job: Job): Promise<Ran> => {
    jobs.push(job)
    return { value: { status: 204, headers: [], body: '' }, logs: [{ level: 'log', text: 'heard it' }] }
  }
  house.start({ runCode: runs, log: silent })
  await accept(house, anEvent(house.clock.now()))
  await endsAs(house, 'delivered 1')
  assert.equal((await journeyOf(house, 'event-1'))?.deliveries[0]?.attempts[0]?.message, 'heard it')
  await accept(house, anEvent(house.clock.now(), { eventId: 'event-2' }), { makers: ['scr_1'] })
  await endsAs(house, 'skipped filtered 0', 'event-2')
  assert.deepEqual([jobs.length, house.sent.length], [1, 0])
})
