import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Job, Ran } from '#sandbox/job.ts'
import { aScript } from '../../test/fake/tag.ts'
import { type Asked, ask, openDoor, tagId } from './edge.fixture.ts'
import type { EdgeWorld } from './world.ts'

const scriptId = 'scr_01jd0000000000000000000000'
const code = { source: 'CODE', values: 'VALUES', functionName: 'process', argument: 'request' } as const
const path = `/t/${tagId}/webhook/${scriptId}`
const answered = (status: number, headers: [string, string][] = [], body = ''): Ran => ({
  value: { status, headers, body },
  logs: [],
})

type Opening = { secrets?: Record<string, string>; ran?: Ran; paused?: true; on?: Partial<EdgeWorld>; tag?: object }

/** A door whose tag has a webhook; `jobs` are the runs that were asked for. */
async function open(t: TestContext, { secrets = {}, ran = answered(200), paused, on, tag }: Opening = {}) {
  const jobs: Job[] = []
  const script = aScript(scriptId, { providerId: 'webhook', ...(paused && { paused }) })
  const sink = aScript('scr_01jd0000000000000000000001')
  const { port, ...door } = await openDoor(t, {
    tag: { scripts: [script, sink], ...tag },
    on: {
      providers: { webhook: { consent: ['functional'], code }, eventSink: { consent: ['analytics'] } },
      plaintexts: async () => ({ CODE: 'the code', ...secrets }),
      async runCode(job) {
        jobs.push(job)
        return ran
      },
      ...on,
    },
  })
  return { jobs, ...door, post: (asked: Asked = {}) => ask(port, { path, ...asked }) }
}
const requestIn = ({ params }: Job) =>
  params.request as { url: string; headers: [string, string][]; body?: string; latin1?: string }

test('code is handed the request as it came: its public address, its headers but for cookies, and the body', async (t) => {
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
    [job?.code, job?.name, job?.shape, job?.params.secrets],
    ['the code', 'process', 'response', { KEY: 'k-1' }],
  )
  assert.ok(job?.secrets.includes('k-1') && !job.secrets.includes('the code'))
})

test('a body that is no UTF-8 is handed over as its bytes, and one that is packed by gzip is unpacked', async (t) => {
  const { jobs, post } = await open(t)
  await post({ body: Buffer.from([0, 255]) })
  await post({ body: gzipSync('plain'), headers: { 'content-encoding': 'gzip' } })
  const [bytes, packed] = jobs.map(requestIn)
  assert.deepEqual([bytes?.latin1, bytes?.body], ['\0\xff', undefined])
  assert.deepEqual([packed?.body, new Headers(packed?.headers).get('content-encoding')], ['plain', null])
})

test('of the headers of an answer only content-type, cache-control and x-* go out, and none that a proxy acts on', async (t) => {
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
  const { post } = await open(t, { ran: answered(302, headers, '') })
  const { status, headers: got } = await post()
  const { date: _, connection: __, 'keep-alive': ___, vary: ____, ...told } = got
  assert.deepEqual(
    [status, told],
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

test('an answer without a body has none, whatever the sandbox says', async (t) => {
  const { post } = await open(t, { ran: answered(204, [], 'not empty') })
  const { status, text } = await post()
  assert.deepEqual([status, text], [204, ''])
})

test('a token that is asked for is checked before anything else is looked at', async (t) => {
  const { jobs, post } = await open(t, { secrets: { TOKEN: '', WEBHOOK_TOKEN: 'right' } })
  for (const authorization of [undefined, 'Bearer wrong', 'Bearer righ', 'right', 'Bearer right2', 'Basic right'])
    assert.equal((await post(authorization ? { headers: { authorization } } : {})).json.error, 'WEBHOOK_TOKEN_REFUSED')
  assert.equal((await post({ body: 'x'.repeat(300_000) })).status, 401)
  assert.equal(jobs.length, 0)
  assert.equal((await post({ headers: { authorization: 'bearer right' } })).status, 200)
})

test('Authorization is the webhook’s own, also on a tag that asks its senders for a token', async (t) => {
  const { post } = await open(t, { tag: { serverToken: 'required' } })
  assert.equal((await post({ headers: { authorization: 'Bearer anything' } })).status, 200)
})

const failures: [title: string, ran: Ran, status: number, error: string, attributes?: object][] = [
  [
    'throws',
    { error: { message: 'Error: no', line: 3, column: 7 }, logs: [] },
    500,
    'WEBHOOK_FAILED',
    { message: 'Error: no', line: 3, column: 7 },
  ],
  [
    'uses too much',
    { breach: 'cpu', message: 'Too much.', logs: [] },
    500,
    'WEBHOOK_FAILED',
    { message: 'Too much.', limit: 'cpu' },
  ],
  ['is handed too much', { breach: 'params', message: '', logs: [] }, 413, 'BODY_TOO_LARGE'],
  ['gives no Response', { value: { status: 99 }, logs: [] }, 500, 'WEBHOOK_FAILED'],
  ['gives headers that are none', answered(200, [['x-a', 'b\r\nset-cookie: c']]), 500, 'WEBHOOK_FAILED'],
  ['cannot be run now', { notRun: 'overloaded', message: '', logs: [] }, 503, 'OVERLOADED'],
  ['is not run here', { notRun: 'off', message: 'unshare', logs: [] }, 503, 'WEBHOOK_OFF'],
]
for (const [title, ran, status, error, attributes] of failures)
  test(`code that ${title} is ${status} ${error}`, async (t) => {
    const { post } = await open(t, { ran })
    const { json, headers } = await post()
    assert.deepEqual([json.statusCode, json.error, json.attributes], [status, error, attributes])
    assert.equal(status === 503, 'retry-after' in headers)
    assert.doesNotMatch(JSON.stringify(json), /unshare/)
  })

test('a script that is none, is no webhook or is of another tag is 404, a body that is too long 413', async (t) => {
  const { jobs, post } = await open(t)
  for (const last of [
    'scr_01jd0000000000000000000001',
    'scr_01jd0000000000000000000009',
    '',
    'constructor',
    `${scriptId}/x`,
  ])
    assert.equal((await post({ path: `/t/${tagId}/webhook/${last}` })).json.error, 'NOT_FOUND')
  assert.equal((await post({ body: 'x'.repeat(256 * 1024 + 1) })).status, 413)
  assert.equal(jobs.length, 0)
})

test('other methods, pages of other origins, what a channel sent and a paused script run nothing', async (t) => {
  const { jobs, post } = await open(t, { paused: true })
  assert.equal((await post({ method: 'GET' })).status, 405)
  assert.equal((await post({ headers: { origin: 'https://evil.example' } })).status, 403)
  assert.equal((await post({ headers: { 'x-aglet-hop': '1' } })).json.error, 'LOOP_REFUSED')
  assert.deepEqual((await post()).headers['retry-after'], '60')
  assert.equal((await open(t, { on: { busy: () => 3 } }).then((busy) => busy.post())).headers['retry-after'], '3')
  assert.equal(jobs.length, 0)
})

test('an event that code makes is on disk when the call resolves, of its script, and trusted', async (t) => {
  const made: unknown[] = []
  const { post, last } = await open(t, {
    on: {
      async runCode({ calls }) {
        const event = { eventName: 'Lead', eventId: 'made-1', timestamp: Date.UTC(2026, 10, 20, 12) }
        made.push(await calls!.handleTag!(event, { userId: 'crm-1' }), await calls!.handleTag!(event))
        return answered(200)
      },
    },
  })
  await post()
  assert.deepEqual(made[0], { eventId: 'made-1', userId: 'crm-1', status: 'accepted' })
  assert.equal((made[1] as { status: string }).status, 'duplicate')
  const { makers, trusted } = last().context
  assert.deepEqual([makers, trusted], [[scriptId], true])
})
