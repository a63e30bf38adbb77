import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Run } from '#contract/webhookRun.ts'
import type { Job, RunResult } from '#sandbox/job.ts'
import { aScript } from '../../test/fake/tag.ts'
import { ask, openTestEdge, type TestRequest, tagId } from './edge.fixture.ts'
import type { EdgeDeps } from './edgeDeps.ts'

const scriptId = 'scr_01jd0000000000000000000000'
const code = { source: 'CODE', values: 'VALUES', functionName: 'process', argument: 'request' } as const
const path = `/t/${tagId}/webhook/${scriptId}`
const answered = (status: number, headers: [string, string][] = [], body = ''): RunResult => ({
  value: { status, headers, body },
  logs: [],
})

type Opening = {
  secrets?: Record<string, string>
  runResult?: RunResult
  paused?: boolean
  deps?: Partial<EdgeDeps>
  tag?: object
}

/** An edge whose tag has a webhook. `jobs`: the runs of its code. */
async function open(t: TestContext, { secrets = {}, runResult = answered(200), paused, deps, tag }: Opening = {}) {
  const jobs: Job[] = []
  const script = aScript(scriptId, { providerId: 'webhook' })
  const sink = aScript('scr_01jd0000000000000000000001')
  const { port, ...edge } = await openTestEdge(t, {
    tag: { scripts: [script, sink], ...tag },
    deps: {
      providers: { webhook: { consent: ['functional'], code }, eventSink: { consent: ['analytics'] } },
      plaintexts: async () => ({ CODE: 'the code', ...secrets }),
      async runCode(job) {
        jobs.push(job)
        return runResult
      },
      ...deps,
    },
  })
  if (paused) edge.deps.snapshots.setPaused(scriptId, true)
  return { jobs, ...edge, post: (request: TestRequest = {}) => ask(port, { path, ...request }) }
}
const requestIn = ({ params }: Job) =>
  params.request as { url: string; headers: [string, string][]; body?: string; latin1?: string }

test('the code receives the request with its public URL, its headers without cookies, and its body', async (t) => {
  const { jobs, post } = await open(t, { secrets: { VALUES: '{"KEY":"k-1"}' } })
  await post({ path: `${path}?a=1&b=%20`, headers: { 'content-type': 'text/weird', cookie: 'session=1' }, body: 'a,ü' })
  const [job] = jobs
  const { url, headers, body } = requestIn(job!)
  assert.equal(url, `https://aglet.example/t/${tagId}/webhook/${scriptId}?a=1&b=%20`)
  assert.deepEqual(
    [body, new Headers(headers).get('content-type'), new Headers(headers).get('cookie')],
    ['a,ü', 'text/weird', null],
  )
  assert.deepEqual(
    [job?.code, job?.name, job?.resultKind, job?.params.secrets],
    ['the code', 'process', 'response', { KEY: 'k-1' }],
  )
  assert.ok(job?.secrets.includes('k-1') && !job.secrets.includes('the code'))
})

test('a body that is not UTF-8 is passed as bytes, and a gzip body is decompressed', async (t) => {
  const { jobs, post } = await open(t)
  await post({ body: Buffer.from([0, 255]) })
  await post({ body: gzipSync('plain'), headers: { 'content-encoding': 'gzip' } })
  const [bytes, packed] = jobs.map(requestIn)
  assert.deepEqual([bytes?.latin1, bytes?.body], ['\0\xff', undefined])
  assert.deepEqual([packed?.body, new Headers(packed?.headers).get('content-encoding')], ['plain', null])
})

test('a response keeps only the headers content-type, cache-control and x-*, without those that a proxy acts on', async (t) => {
  const headers: [string, string][] = [
    ['content-type', 'text/html'],
    ['Cache-Control', 'max-age=60'],
    ['x-own', '1'],
    ['x-accel-redirect', '/etc/passwd'],
    ['x-sendfile', '/etc/passwd'],
    ['x-content-type-options', 'none'],
    ['content-security-policy', 'none'],
    ['set-cookie', 'a=b'],
    ['location', 'https://x.example'],
    ['access-control-allow-origin', '*'],
    ['content-length', '9999'],
  ]
  const { post } = await open(t, { runResult: answered(302, headers, '') })
  const { status, headers: got } = await post()
  const { date: _, connection: __, 'keep-alive': ___, vary: ____, ...sent } = got
  assert.deepEqual(
    [status, sent],
    [
      302,
      {
        'content-type': 'text/html',
        'cache-control': 'max-age=60',
        'x-own': '1',
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
        'content-length': '0',
      },
    ],
  )
})

test('a response with a status that allows no body has no body', async (t) => {
  const { post } = await open(t, { runResult: answered(204, [], 'not empty') })
  const { status, text } = await post()
  assert.deepEqual([status, text], [204, ''])
})

test('the token of a webhook is checked before its body is read and its code runs', async (t) => {
  const { jobs, post } = await open(t, { secrets: { TOKEN: '', WEBHOOK_TOKEN: 'right' } })
  for (const authorization of [undefined, 'Bearer wrong', 'Bearer righ', 'right', 'Bearer right2', 'Basic right'])
    assert.equal((await post(authorization ? { headers: { authorization } } : {})).json.error, 'WEBHOOK_TOKEN_REFUSED')
  assert.equal((await post({ body: 'x'.repeat(300_000) })).status, 401)
  assert.equal(jobs.length, 0)
  assert.equal((await post({ headers: { authorization: 'bearer right' } })).status, 200)
})

test('the header Authorization holds the token of the webhook, also on a tag that requires server tokens', async (t) => {
  const { post } = await open(t, { tag: { serverToken: 'required' } })
  assert.equal((await post({ headers: { authorization: 'Bearer anything' } })).status, 200)
})

const failures: [title: string, runResult: RunResult, status: number, error: string, attributes?: object][] = [
  [
    'throws',
    { error: { message: 'Error: no', line: 3, column: 7 }, logs: [] },
    500,
    'WEBHOOK_FAILED',
    { message: 'Error: no', line: 3, column: 7 },
  ],
  [
    'exceeds a limit',
    { breach: 'cpu', message: 'Too much.', logs: [] },
    500,
    'WEBHOOK_FAILED',
    { message: 'Too much.', limit: 'cpu' },
  ],
  ['receives a request that is too large', { breach: 'params', message: '', logs: [] }, 413, 'BODY_TOO_LARGE'],
  ['returns no Response', { value: { status: 99 }, logs: [] }, 500, 'WEBHOOK_FAILED'],
  ['returns invalid headers', answered(200, [['x-a', 'b\r\nset-cookie: c']]), 500, 'WEBHOOK_FAILED'],
  ['cannot run because the sandbox is overloaded', { notRun: 'overloaded', message: '', logs: [] }, 503, 'OVERLOADED'],
  ['cannot run because the sandbox is off', { notRun: 'off', message: 'unshare', logs: [] }, 503, 'WEBHOOK_OFF'],
]
for (const [title, runResult, status, error, attributes] of failures)
  test(`code that ${title} is ${status} ${error}`, async (t) => {
    const { post } = await open(t, { runResult })
    const { json, headers } = await post()
    assert.deepEqual([json.statusCode, json.error, json.attributes], [status, error, attributes])
    assert.equal(status === 503, 'retry-after' in headers)
    assert.doesNotMatch(JSON.stringify(json), /unshare/)
  })

test('a script that is unknown, no webhook or of another tag is 404, and a body that is too large is 413', async (t) => {
  const { jobs, post } = await open(t)
  for (const id of [
    'scr_01jd0000000000000000000001',
    'scr_01jd0000000000000000000009',
    '',
    'constructor',
    `${scriptId}x/y`,
  ])
    assert.equal((await post({ path: `/t/${tagId}/webhook/${id}` })).json.error, 'NOT_FOUND')
  assert.equal((await post({ body: 'x'.repeat(256 * 1024 + 1) })).status, 413)
  assert.equal(jobs.length, 0)
})

test('a GET and the addresses below reach the code, without a body and with their own URL', async (t) => {
  const { jobs, ask } = await open(t)
  await ask({ method: 'GET', path: `/t/${tagId}/webhook/${scriptId}/lead/1?hub.challenge=7` })
  const { request } = jobs.at(-1)!.params as { request: { method: string; url: string; body?: string } }
  assert.deepEqual(
    [request.method, request.url, request.body],
    ['GET', `https://aglet.example/t/${tagId}/webhook/${scriptId}/lead/1?hub.challenge=7`, undefined],
  )
})

test('the code does not run for other methods, other origins, requests of a channel or a paused script', async (t) => {
  const { jobs, post } = await open(t, { paused: true })
  assert.equal((await post({ method: 'PUT' })).status, 405)
  assert.equal((await post({ headers: { origin: 'https://evil.example' } })).status, 403)
  assert.equal((await post({ headers: { 'x-aglet-hop': '1' } })).json.error, 'LOOP_REFUSED')
  assert.deepEqual((await post()).headers['retry-after'], '60')
  assert.equal(
    (await open(t, { deps: { retryAfterSeconds: () => 3 } }).then((busy) => busy.post())).headers['retry-after'],
    '3',
  )
  assert.equal(jobs.length, 0)
})

test('an event that the code sends is durable when its call resolves, is trusted and names its script', async (t) => {
  const results: unknown[] = []
  const { post, lastRecord } = await open(t, {
    deps: {
      async runCode({ calls }) {
        const event = { eventName: 'Lead', eventId: 'results-1', timestamp: Date.UTC(2026, 10, 20, 12) }
        results.push(await calls!.handleTag!(event, { userId: 'crm-1' }), await calls!.handleTag!(event))
        return answered(200)
      },
    },
  })
  await post()
  assert.deepEqual(results[0], { eventId: 'results-1', userId: 'crm-1', status: 'accepted' })
  assert.equal((results[1] as { status: string }).status, 'duplicate')
  const { originScriptIds, trusted } = lastRecord().context
  assert.deepEqual([originScriptIds, trusted], [[scriptId], true])
})

test('of a call during which somebody is erased the journal keeps no text: it may have handled that person', async (t) => {
  const runs: Omit<Run, 'runId'>[] = []
  let erase = async () => {}
  const { post, deps } = await open(t, {
    deps: {
      runLog: { add: (_owner, run) => void runs.push(run) },
      async runCode() {
        await erase()
        return { value: null, logs: [{ level: 'log', text: 'ada' }] }
      },
    },
  })
  await post({ body: 'ada' })
  erase = () => deps.profiles.forget({ tag: { tagId, teamId: 'team_1' }, userId: 'usr_ada' }, async () => {})
  await post({ body: 'ada' })
  erase = async () => {}
  await post({ body: 'ada' })
  assert.deepEqual(
    runs.map((run) => JSON.stringify(run).includes('ada')),
    [true, false, true],
  )
  assert.match(runs[1]!.logs[0]!.text, /a person was erased/)
})

test('the journal of a run has its request, without query, secrets, e-mail addresses and what is beyond 4,096 characters', async (t) => {
  const runs: Omit<Run, 'runId'>[] = []
  const { post } = await open(t, {
    runResult: answered(500),
    secrets: { VALUES: '{"KEY":"key-of-ours"}' },
    deps: { runLog: { add: (_owner, run) => runs.push(run) } },
  })
  const body = `{"key":"key-of-ours","email":"jane@example.com","order":1001,"more":"${'x'.repeat(5_000)}"}`
  await post({ path: `${path}/orders?token=abc`, headers: { 'content-type': 'application/json' }, body })
  const { request, status } = runs[0]!
  assert.deepEqual(
    [status, request!.method, request!.path, request!.contentType],
    [500, 'POST', '/orders', 'application/json'],
  )
  assert.match(request!.body!, /^\{"key":"•••","email":"•••","order":1001,/)
  assert.ok(request!.body!.length <= 4_096)
})
