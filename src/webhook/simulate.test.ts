import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SimulateLine, SimulationResult } from '#contract/simulate.ts'
import { openParser } from '#sandbox/parseCode.ts'
import { openSandbox, type Sandbox } from '#sandbox/sandbox.ts'
import { simulate } from './simulate.ts'

let sandbox: Sandbox
before(async () => {
  sandbox = await openSandbox({ fetch: async () => assert.fail('nothing may be fetched'), acceptWeak: true })
})
after(() => sandbox.close())

const simulateDeps = {
  parseCode: openParser(),
  teamId: 'team_a',
  brand: 'Service',
  guard: { allowPrivate: false, ports: [] as number[], ownPorts: [] as number[] },
  now: () => 1_700_000_000_000,
}
const run = (line: Partial<SimulateLine> & { code: string }, guard = simulateDeps.guard) =>
  simulate(
    { events: [{ eventName: 'Purchase', eventId: 'order-1' }], ...line },
    { ...simulateDeps, guard, runCode: sandbox.run },
  )
async function results(line: Parameters<typeof run>[0], guard = simulateDeps.guard) {
  const simulated = await run(line, guard)
  assert.ok('results' in simulated, JSON.stringify(simulated))
  return (simulated satisfies SimulationResult).results
}

const code = `async function tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('https://crm.example/' + event.eventId, { method: 'POST', headers: { 'X-Key': secrets.API_KEY }, body: secrets.API_KEY })
  logger.log('key is', secrets.API_KEY, answer.status)
  return { ...(await answer.json()), by: user.email, key: secrets.API_KEY, name: event.eventName, at: event.timestamp }
}`
const secrets = { API_KEY: 'sekret-1234', DEEP: { INNER: 'inner-5678' } }

test('requests, result and log of code are shown without secrets', async () => {
  const [shown] = await results({
    ...{ code, secrets, user: { email: 'a' } },
    replies: [{ status: 201, json: { id: 7, said: 'sekret-1234' } }],
  })
  assert.deepEqual(shown, {
    eventId: 'order-1',
    requests: [
      {
        method: 'POST',
        url: 'https://crm.example/order-1',
        headers: { 'x-key': '•••', 'content-type': 'text/plain;charset=UTF-8' },
        body: '•••',
      },
    ],
    logs: [{ level: 'log', text: 'key is ••• 201' }],
    result: { id: 7, said: '•••', by: 'a', key: '•••', name: 'Purchase', at: 1_700_000_000_000 },
  })
})

test("an error has the line in the customer's code, and no secret", async () => {
  const throwing = 'async tag({ secrets }) {\n  throw new Error(secrets.DEEP.INNER)\n}'
  const [shown] = await results({ code: throwing, secrets })
  assert.equal(shown?.error?.line, 2)
  assert.match(shown?.error?.message ?? '', /•••/)
  assert.ok(!JSON.stringify(shown).includes('inner-5678'))
})

test('events run one after the other like under one version of a script, each with its own result', async () => {
  const counting =
    'let n = 0\nasync function tag({ event }) { if (event.eventName === "Bad") throw new Error("no"); return ++n }'
  const events = ['A', 'Bad', 'B'].map((eventName) => ({ eventName }))
  const shown = await results({ code: counting, events })
  assert.deepEqual(
    shown.map(({ eventId, result, error }) => [eventId, result, error?.message]),
    [
      ['evt-1', 1, undefined],
      ['evt-2', undefined, 'Error: no'],
      ['evt-3', 2, undefined],
    ],
  )
  assert.equal((await results({ code: counting, events: events.slice(0, 1) }))[0]?.result, 1, 'and starts afresh')
})

test('code with a syntax error is not run, and the error has line and column', async () => {
  assert.deepEqual(await run({ code: 'async tag({ event }) {\n  return event..x\n}' }), {
    badSource: { message: "Unexpected token '.'", line: 2, column: 16 },
  })
})

test('code that does not end is stopped, and its event has an error', async () => {
  const [shown] = await results({ code: 'async tag() { for (;;); }' })
  assert.match(shown?.error?.message ?? '', /more than half a second/)
})

test('a sandbox that is off or overloaded is reported as such', async () => {
  const line = { code, events: [{ eventName: 'A' }] }
  const where = (notRun: 'off' | 'overloaded') => ({
    ...simulateDeps,
    runCode: async () => ({ notRun, message: 'why', logs: [] }),
  })
  assert.deepEqual(await simulate(line, where('off')), { off: 'why' })
  assert.deepEqual(await simulate(line, where('overloaded')), { overloaded: true })
})

test('a request to a forbidden address is shown as refused, and fails like a real one', async () => {
  const asking = `async tag({ fetch, event }) { return fetch(event.data.url).then(({ status }) => status) }`
  const urls = [
    'https://127.0.0.1/',
    'http://crm.example/',
    'https://[::1]/',
    'https://crm.example:22/',
    'https://crm.example/',
  ]
  const shown = await results({ code: asking, events: urls.map((url) => ({ eventName: 'A', data: { url } })) })
  assert.deepEqual(
    shown.map(({ requests, result, error }) => [requests[0]?.refused, result ?? error?.message]),
    [...Array(4).fill([true, 'Error: This address is not allowed.']), [undefined, 200]],
  )
})

test('requests to link-local, metadata and own addresses are shown as refused even if private destinations are allowed', async () => {
  const asking = `async tag({ fetch, event }) { return fetch(event.data.url).then(({ status }) => status) }`
  const guard = { allowPrivate: true, ports: [], ownPorts: [4100] }
  const urls = [
    ...[
      'http://169.254.169.254/latest/meta-data/',
      'http://[fd00:ec2::254]/',
      'http://[fe80::1]/',
      'http://2852039166/',
    ],
    ...['http://100.100.100.200/', 'http://168.63.129.16/', 'http://[::ffff:169.254.169.254]/'],
    ...['http://127.0.0.1:4100/metrics', 'http://localhost:4100/', 'http://[::1]:4100/'],
    ...['http://127.0.0.1:4101/', 'http://10.0.0.1/'],
  ]
  const events = urls.map((url) => ({ eventName: 'A', data: { url } }))
  const shown = [await results({ code: asking, events: events.slice(0, 9) }, guard)]
  shown.push(await results({ code: asking, events: events.slice(9) }, guard))
  assert.deepEqual(
    shown.flat().map(({ requests, result, error }) => [requests[0]?.refused, result ?? error?.message]),
    [...Array(10).fill([true, 'Error: This address is not allowed.']), [undefined, 200], [undefined, 200]],
  )
})

test('the code of a webhook gets each event as a request; its calls are answered, shown and not stored', async () => {
  const hook = `async function process({ request, secrets, handleTag, getUsersByEmail, saveUserCustomData, fetch }) {
    const { eventName, eventId } = await request.json()
    const [one] = await getUsersByEmail('Jane@Example.com')
    const { status } = await handleTag({ eventName, eventId: eventId + '-b', timestamp: 1_700_000_000_000 }, one)
    await saveUserCustomData(one.userId, 'key', secrets.KEY)
    const bad = await handleTag({ eventName }).catch(({ message }) => message)
    await fetch('https://crm.example/')
    return Response.json([status, bad, request.method, request.headers.get('serviceuserid')], { status: 201 })
  }`
  const user = { userId: 'usr_1', email: 'jane@example.com' }
  const [shown] = await results({ code: hook, secrets: { KEY: 'sekret-1234' }, user })
  assert.deepEqual(shown?.result, {
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: '["accepted","eventId is required; timestamp is required","POST","usr_1"]',
  })
  assert.deepEqual(
    shown?.calls?.map(({ name, args }) => [name, args[0]]),
    [
      ['getUsersByEmail', 'Jane@Example.com'],
      ['handleTag', { eventName: 'Purchase', eventId: 'order-1-b', timestamp: 1_700_000_000_000 }],
      ['saveUserCustomData', 'usr_1'],
      ['handleTag', { eventName: 'Purchase' }],
    ],
  )
  assert.deepEqual(shown?.calls?.[2]?.args, ['usr_1', 'key', '•••'])
  assert.equal(shown?.requests.length, 1)
})

test('a webhook that returns no Response has an error, and a syntax error has its own line', async () => {
  const [shown] = await results({ code: 'async process() { return 1 }' })
  assert.match(shown?.error?.message ?? '', /must return a Response/)
  assert.deepEqual(await run({ code: 'async process({ request }) {\n  return request..x\n}' }), {
    badSource: { message: "Unexpected token '.'", line: 2, column: 18 },
  })
})

test('code without a function is told which one its kind needs', async () => {
  const messageOf = async (kind?: 'playground' | 'webhook', more: object = {}) => {
    const line = { code: 'const a = 1', events: [{ eventName: 'A' }], ...more }
    const simulated = await simulate(line as SimulateLine, {
      ...simulateDeps,
      runCode: sandbox.run,
      ...(kind && { kind }),
    })
    return 'results' in simulated ? simulated.results[0]?.error?.message : undefined
  }
  assert.match((await messageOf('webhook'))!, /function process/)
  assert.match((await messageOf('playground'))!, /function tag/)
  assert.match((await messageOf(undefined, { requests: [{ body: 'a' }] }))!, /function process/)
})

test("values of the sample's user are not redacted: the request is the one that would be sent", async () => {
  const telling = `async tag({ user, fetch }) { await fetch('https://crm.example/', { method: 'POST', body: user.email }) }`
  const [shown] = await results({ code: telling, user: { email: 'jane@example.com' } })
  assert.equal(shown?.requests[0]?.body, 'jane@example.com')
})
