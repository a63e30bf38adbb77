import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OperationId } from '#contract/operations.ts'
import type { Stats } from '#contract/stats.ts'
import { until } from '../../test/fake/clock.ts'
import { makePerson, pageHeaders } from '../../test/fake/sessionCases.ts'
import {
  type ControlRequest,
  type Customer,
  callControl,
  makeCustomer,
  openTestControl,
  sinkBody,
  whileQueriesAre,
  withLimits,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)

/** Sends `count` numbered requests concurrently; returns the responses other than 200. */
async function refusals(
  id: OperationId,
  as: Customer,
  count: number,
  toRequest: (n: number) => ControlRequest | Promise<ControlRequest>,
) {
  const responses = await Promise.all(
    Array.from({ length: count }, async (_, n) => callControl(control, id, as, await toRequest(n))),
  )
  return responses.filter(({ status }) => status !== 200)
}
const scopes = ['tag:read']
const kinds: [
  what: string,
  id: OperationId,
  limit: object,
  asked: (as: Customer) => (n: number) => ControlRequest | Promise<ControlRequest>,
  code: string,
][] = [
  [
    'tags',
    'createTag',
    { tagsPerTeam: 3 },
    () => (n) => ({ body: { name: `tag ${n}`, domain: 'example.com' } }),
    'TOO_MANY_TAGS',
  ],
  [
    'scripts',
    'createScript',
    { scriptsPerTag: 2 },
    (as) => async (n) => ({ body: await sinkBody(control, as, { name: `sink ${n}` }) }),
    'TOO_MANY_SCRIPTS',
  ],
  [
    'hooks',
    'createHook',
    { hooksPerTeam: 2 },
    () => (n) => ({ body: { url: `https://a.example/${n}` } }),
    'TOO_MANY_HOOKS',
  ],
  [
    'applications',
    'createApplication',
    { applicationsPerTeam: 2 },
    () => (n) => ({ body: { name: `app ${n}`, scopes } }),
    'TOO_MANY_APPLICATIONS',
  ],
  [
    'replays that have not ended',
    'createReplay',
    { replaysPerTeam: 2 },
    ({ tagId }) =>
      () => ({ values: { tagId }, body: { from: 0, to: 1 } }),
    'TOO_MANY_REPLAYS',
  ],
]

for (const [what, id, limit, toRequest, code] of kinds)
  test(`a team or tag has no more ${what} than the limit, also after concurrent requests`, async () => {
    const [as, other] = [await makeCustomer(control), await makeCustomer(control)]
    const count = Object.values(limit)[0] as number
    await withLimits(control, limit, async () => {
      const refused = await refusals(id, as, 4, toRequest(as))
      assert.deepEqual(
        refused.map(({ status, body }) => [status, body.error, body.attributes]),
        Array(2).fill([409, code, { limit: count }]),
      )
      assert.match(refused[0]!.body.message!, new RegExp(`limit of ${count} `))
      assert.equal((await callControl(control, id, other, await toRequest(other)(9))).status, 200)
    })
  })

test('deleting a tag or script makes room for another', async () => {
  const as = await makeCustomer(control)
  await withLimits(control, { scriptsPerTag: 1 }, async () => {
    const create = async (name: string) =>
      callControl(control, 'createScript', as, { body: await sinkBody(control, as, { name }) })
    const { scriptId } = (await create('one')).body
    assert.equal((await create('two')).status, 409)
    await callControl(control, 'deleteScript', as, { values: { scriptId: String(scriptId) } })
    assert.equal((await create('two')).status, 200)
  })
})

test('a team has no more open streams than the limit, and a closed one makes room for another', async () => {
  const as = await makeCustomer(control)
  const headers = { authorization: `Bearer ${as.token}`, 'team-id': as.teamId }
  /** Opens a stream; resolves with its status and a function that closes it. */
  async function watch() {
    const ended = new AbortController()
    const url = `/v1/tag/${as.tagId}/live`
    const { statusCode } = await control.app.inject({ url, headers, payloadAsStream: true, signal: ended.signal })
    return { statusCode, end: () => ended.abort() }
  }
  await withLimits(control, { streamsPerTeam: 1 }, async () => {
    const first = await watch()
    const second = await callControl(control, 'watchDeliveries', as, { values: { tagId: as.tagId } })
    assert.deepEqual(
      [second.status, second.body.error, second.body.attributes],
      [429, 'TOO_MANY_WATCHING', { limit: 1 }],
    )
    assert.match(String(second.headers['retry-after']), /^[1-9]\d*$/)
    first.end()
    // A stream of a tag without other streams opens after one poll, which waits for the clock.
    const statuses: number[] = []
    let isOpening = false
    const openNext = async () => {
      isOpening = true
      const next = await watch()
      statuses.push(next.statusCode)
      next.end()
      isOpening = false
    }
    await until('another may watch', async () => {
      if (!isOpening) void openNext()
      await control.clock.turn(500)
      return statuses.includes(200)
    })
  })
})

test('a signed-in person has no more open streams than the limit, over all teams, and tokens are not counted', async () => {
  const teams = [await makeCustomer(control), await makeCustomer(control)]
  const { production } = control.environments
  const personId = await makePerson(production, 'watcher@example.com')
  for (const { teamId } of teams)
    await production.store.write([
      { account: { add: 'member', row: { teamId, personId, role: 'viewer', createdAt: 0 } } },
    ])
  const { authorization: _, ...own } = await pageHeaders(control, personId)
  const ended = new AbortController()
  const watch = ({ teamId, tagId }: Customer, access: Record<string, string> = own) =>
    control.app.inject({
      url: `/v1/tag/${tagId}/live`,
      headers: { ...access, 'team-id': teamId },
      payloadAsStream: true,
      signal: ended.signal,
    })
  await withLimits(control, { streamsPerPerson: 1 }, async () => {
    assert.equal((await watch(teams[0]!)).statusCode, 200)
    const second = await watch(teams[1]!)
    assert.equal(second.statusCode, 429)
    assert.match(String(second.headers['retry-after']), /^[1-9]\d*$/)
    assert.equal((await watch(teams[1]!, { authorization: `Bearer ${teams[1]!.token}` })).statusCode, 200)
  })
  ended.abort()
})

test('a query that exceeds its time limit gets an error with the limit', async () => {
  const as = await makeCustomer(control)
  const values = { values: { tagId: as.tagId } }
  const slow = await whileQueriesAre(control, 'tooSlow', () => callControl(control, 'readStats', as, values))
  assert.deepEqual([slow.status, slow.body.error], [503, 'QUERY_TOO_SLOW'])
  assert.match(slow.body.message!, /took longer than 10 seconds and was stopped/)
  assert.match(String(slow.headers['retry-after']), /^[1-9]\d*$/)
})

test('a dry run counts as a query of its team', async () => {
  const as = await makeCustomer(control)
  const trial = () =>
    callControl(control, 'createReplay', as, { values: { tagId: as.tagId }, body: { from: 0, to: 1, dryRun: true } })
  await withLimits(control, { queriesPerTeam: 1 }, async () => {
    const responses = await Promise.all([trial(), trial()])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 429])
    assert.equal((await trial()).status, 200)
  })
})

test('an export of the audit and a search for a user count as queries of their team', async () => {
  const as = await makeCustomer(control)
  const headers = { authorization: `Bearer ${as.token}`, 'team-id': as.teamId }
  const statuses = async (...responses: Promise<{ statusCode: number }>[]) =>
    (await Promise.all(responses)).map(({ statusCode }) => statusCode).sort()
  const exported = () => control.app.inject({ url: '/v1/audit/export', headers })
  const search = {
    method: 'POST',
    url: `/v1/tag/${as.tagId}/find-user`,
    payload: { email: 'a@b.co' },
    headers,
  } as const
  const found = () => control.app.inject(search)
  await withLimits(control, { queriesPerTeam: 1 }, async () => {
    assert.deepEqual(await statuses(exported(), exported()), [200, 429])
    assert.deepEqual(await statuses(found(), found()), [200, 429])
    assert.deepEqual(await statuses(exported()), [200])
  })
})

test('the stats of a tag show the refused calls, by minute and by limit', async () => {
  const as = await makeCustomer(control)
  const at = Math.floor(control.clock.now() / 60_000) * 60_000
  const { store } = control.environments.production
  await store.write([{ add: 'refusedCalls', rows: [{ tagId: as.tagId, at, of: 'team', calls: 7 }] }])
  await control.clock.turn(1_000)
  const { status, body } = await callControl(control, 'readStats', as, { values: { tagId: as.tagId } })
  const { refusedCalls, series } = body as unknown as Stats
  assert.deepEqual([status, refusedCalls], [200, { total: 7, ofTeam: 7, ofTag: 0 }])
  assert.deepEqual(series, [{ at, events: 0, refusedCalls: 7, counts: {}, latency: {} }])
})
