import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openIntakeRate } from '#limit/intakeRate.ts'
import { aScript } from '../../test/fake/tag.ts'
import { event, now, openTestEdge, tagId } from './edge.fixture.ts'

const path = (call: string) => `/t/${tagId}${call}`

/** An edge whose tag accepts `burst` events at once, then one per second. */
async function open(t: TestContext, burst: number, options: Parameters<typeof openTestEdge>[1] = {}) {
  const clock = { ms: now, now: () => clock.ms }
  const refused: string[] = []
  const limits = { teamEventRate: 1, teamEventBurst: 1_000_000, tagEventRate: 1, tagEventBurst: burst }
  const intakeRate = openIntakeRate({ clock, limits, refused: (...of) => void refused.push(of.join(' ')) })
  const edge = await openTestEdge(t, { ...options, deps: { ...options.deps, intakeRate } })
  return { ...edge, clock, refused }
}

test('a call above the rate of its tag is 429 with Retry-After, is not stored and is counted as refused', async (t) => {
  const { ask, appended, clock, refused, counts } = await open(t, 2)
  const send = (n: number) => ask({ body: event({ eventId: `event-${n}` }) })
  assert.deepEqual([(await send(1)).status, (await send(2)).status], [200, 200])
  const { status, headers, json } = await send(3)
  assert.deepEqual([status, json.error, json.attributes], [429, 'INTAKE_RATE_EXCEEDED', { limit: 1, of: 'tag' }])
  assert.match(json.message, /limit of 1 events per second. Send the request again/)
  assert.deepEqual([appended.length, refused], [2, [`${tagId} tag`]])
  assert.equal(counts.get('aglet_edge_refused_total{production,INTAKE_RATE_EXCEEDED}'), 1)
  clock.ms += Number(headers['retry-after']) * 1_000
  assert.equal((await send(3)).status, 200)
})

test('a 429 carries CORS headers, so that a page may read it', async (t) => {
  const { ask } = await open(t, 1)
  const headers = { origin: 'https://example.com' }
  await ask({ body: event(), headers })
  const answer = await ask({ body: event(), headers })
  assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [429, 'https://example.com'])
})

test('an array counts as many events as it holds, including invalid events and duplicates', async (t) => {
  const { ask, appended } = await open(t, 500)
  const list = Array.from({ length: 499 }, (_, n) => (n % 2 ? event({ eventId: 'same' }) : { eventName: 7 }))
  assert.equal((await ask({ body: list })).status, 200)
  assert.equal((await ask({ body: event() })).status, 200)
  assert.equal((await ask({ body: event() })).status, 429)
  assert.equal(appended.length, 2)
})

test('a call counts as one event, also with a body that is not JSON; the SDK and preflights do not count', async (t) => {
  const id = { serviceuserid: 'usr_1' }
  const calls: [string, Parameters<Awaited<ReturnType<typeof open>>['ask']>[0], number][] = [
    ['/user', { body: { key: 'city', value: 'Bonn' }, headers: id }, 1],
    ['/data', { body: { data: { city: 'Bonn' } }, headers: id }, 1],
    ['/consent', { body: { consentString: { all: true } }, headers: id }, 1],
    ['/data?keys=city', { method: 'GET', headers: id }, 1],
    ['/keys', { method: 'GET', headers: id }, 1],
    ['/init', { method: 'GET' }, 1],
    ['/tag', { body: 'no JSON' }, 1],
    ['/load', { method: 'GET' }, 0],
    ['/tag', { method: 'OPTIONS' }, 0],
    ['/nothing', { method: 'GET' }, 0],
  ]
  for (const [call, request, tokens] of calls) {
    const { ask } = await open(t, 1)
    await ask({ path: path(call), ...request })
    const { status } = await ask({ body: event() })
    assert.equal(status, tokens === 1 ? 429 : 200, `${request?.method ?? 'POST'} ${call}`)
  }
})

test('a call of a webhook counts as one, before its body is read and its code runs', async (t) => {
  const scriptId = 'scr_01jd0000000000000000000000'
  let runs = 0
  const { ask } = await open(t, 1, {
    tag: { scripts: [aScript(scriptId, { providerId: 'webhook' })] },
    deps: {
      providers: {
        webhook: {
          consent: ['functional'],
          code: { source: 'CODE', values: 'VALUES', functionName: 'process', argument: 'request' },
        },
      },
      plaintexts: async () => ({ CODE: 'the code' }),
      async runCode() {
        runs++
        return { value: { status: 200, headers: [], body: '' }, logs: [] }
      },
    },
  })
  const call = () => ask({ path: path(`/webhook/${scriptId}`), body: 'anything' })
  assert.deepEqual([(await call()).status, (await call()).status, runs], [200, 429, 1])
})

test('a call with a token is accepted after untrusted callers have used up the rate of the tag', async (t) => {
  const { ask } = await open(t, 10, {
    deps: {
      authenticate: async () => ({
        teamId: 'team_01jd0000000000000000000000',
        by: 'tok_1',
        application: 'cli',
        scopes: new Set(['event:write'] as const),
      }),
    },
  })
  const trusted = { authorization: 'Bearer x', 'team-id': 'team_01jd0000000000000000000000' }
  for (let n = 0; n < 10; n++) assert.equal((await ask({ body: event() })).status, 200)
  assert.equal((await ask({ body: event() })).status, 429)
  assert.equal((await ask({ body: event(), headers: trusted })).status, 200)
})
