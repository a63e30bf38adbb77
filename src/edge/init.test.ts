import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Scope } from '#contract/scopes.ts'
import { aScript } from '../../test/fake/tag.ts'
import { event, now, openTestEdge, tagId, teamId } from './edge.fixture.ts'

const page = { origin: 'https://example.com' }
const as = (userId: string) => ({ ...page, serviceuserid: userId })
const newUserId = /^usr_[0-9a-hjkmnp-tv-z]{26}$/
type TestEdge = Awaited<ReturnType<typeof openTestEdge>>
const init = (edge: TestEdge, query = '', headers: Record<string, string> = page) =>
  edge.ask({ method: 'GET', path: `/t/${tagId}/init${query}`, headers })
const post = (edge: TestEdge, call: string, body: unknown, headers: Record<string, string>) =>
  edge.ask({ path: `/t/${tagId}${call}`, body, headers })

describe('GET /init', () => {
  test('creates a user, sets its cookie, and appends no event', async (t) => {
    const edge = await openTestEdge(t)
    const { status, json, headers } = await init(edge)
    assert.equal(status, 200)
    assert.match(json.userId, newUserId)
    assert.deepEqual([json.isNewUser, json.consent, json.session.isNewSession], [true, null, true])
    assert.match(json.session.sessionId, /^ses_/)
    assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${json.userId}; `))
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(edge.appended.length, 0)
  })

  test('recognizes a user by header, cookie or query, and continues the session', async (t) => {
    const edge = await openTestEdge(t)
    const first = (await init(edge)).json
    const byHeader = await init(edge, '', as(first.userId))
    const byCookie = await init(edge, '', { ...page, cookie: `tag_user_id=${first.userId}` })
    const byQuery = await init(edge, `?userId=${first.userId}`)
    for (const { json } of [byHeader, byCookie, byQuery]) {
      assert.deepEqual([json.userId, json.isNewUser], [first.userId, false])
      assert.deepEqual(json.session, { sessionId: first.session.sessionId, isNewSession: false })
    }
    for (const { headers } of [byHeader, byCookie])
      assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${first.userId}; `))
  })

  test('creates a user for an id that is unknown to the tag', async (t) => {
    const edge = await openTestEdge(t)
    assert.deepEqual([(await init(edge, '?userId=from-elsewhere')).json.isNewUser, edge.appended.length], [true, 0])
    assert.equal((await init(edge, '?userId=from-elsewhere')).json.isNewUser, false)
  })

  test('starts a new session after half an hour without a call', async (t) => {
    const clock = { now: () => now, wait: async () => {} }
    const edge = await openTestEdge(t, { deps: { clock } })
    const first = (await init(edge)).json
    clock.now = () => now + 31 * 60_000
    const { session, isNewUser } = (await init(edge, '', as(first.userId))).json
    assert.deepEqual([session.isNewSession, isNewUser], [true, false])
    assert.notEqual(session.sessionId, first.session.sessionId)
  })

  test('lists every deployed channel with its capture rules, also those without a browser module', async (t) => {
    const scripts = [aScript('scr_1', { providerId: 'facebook' }), aScript('scr_2'), aScript('scr_3')]
    const variables = async (_: unknown, { scriptId }: { scriptId: string }): Promise<Record<string, string>> =>
      scriptId === 'scr_1' ? { FACEBOOK_PIXEL_ID: '42' } : {}
    const edge = await openTestEdge(t, { tag: { scripts }, deps: { variables } })
    const capture = [
      { type: 'query', key: 'fbclid', persist: 'edge' },
      { type: 'storage', key: '_fbc', persist: 'edge', location: 'cookie' },
      { type: 'storage', key: '_fbp', persist: 'edge', location: 'cookie' },
    ]
    const gross = { purchaseValueMode: 'gross' }
    const sink = { package: 'eventSink', category: 'analytics', variables: {}, rules: { capture: [] }, ...gross }
    const meta = { package: 'facebook', category: 'advertising', ...gross, inPage: true }
    assert.deepEqual((await init(edge)).json.result, [
      { ...meta, variables: { FACEBOOK_PIXEL_ID: '42' }, rules: { capture } },
      sink,
      sink,
    ])
  })

  test("returns the category of a channel, the script's own or else its provider's, and its value mode", async (t) => {
    const own = { providerId: 'facebook', consentCategory: 'functional', purchaseValueMode: 'net' } as const
    const edge = await openTestEdge(t, { tag: { scripts: [aScript('scr_1', own), aScript('scr_2')] } })
    const rows = (await init(edge)).json.result as { category: string; purchaseValueMode: string }[]
    assert.deepEqual(
      rows.map(({ category, purchaseValueMode }) => [category, purchaseValueMode]),
      [
        ['functional', 'net'],
        ['analytics', 'gross'],
      ],
    )
  })

  test('refuses advertising channels for a browser that sends Sec-GPC, on a tag whose setting heeds it', async (t) => {
    const scripts = [aScript('scr_1', { providerId: 'facebook' }), aScript('scr_2')]
    const refused = async (gpc: boolean, headers: Record<string, string>) => {
      const edge = await openTestEdge(t, { tag: { scripts, gpc } })
      const rows = (await init(edge, '', { ...page, ...headers })).json.result as { refused?: true }[]
      return rows.map((row) => row.refused)
    }
    assert.deepEqual(await refused(true, { 'sec-gpc': '1' }), [true, undefined])
    assert.deepEqual(await refused(true, {}), [undefined, undefined])
    assert.deepEqual(await refused(false, { 'sec-gpc': '1' }), [undefined, undefined])
  })

  test('returns the consent that the user gave last by /consent', async (t) => {
    const edge = await openTestEdge(t)
    await post(
      edge,
      '/consent',
      { consentString: { all: true, nonsense: 1 }, consentCategories: { analytics: true } },
      as('usr_a'),
    )
    const given = { consent: { all: true }, consentCategories: { analytics: true } }
    assert.deepEqual((await init(edge, '', as('usr_a'))).json.consent, given)
    await post(edge, '/consent', { consentString: { all: false } }, as('usr_a'))
    assert.deepEqual((await init(edge, '', as('usr_a'))).json.consent, { consent: { all: false } })
    assert.equal((await init(edge, '', as('usr_b'))).json.consent, null)
  })

  test('ignores ?consentDisabled=true: only the setting of the tag disables consent', async (t) => {
    const edge = await openTestEdge(t)
    const { json } = await init(edge, '?consentDisabled=true', as('usr_a'))
    assert.deepEqual([json.consent, edge.appended.length], [null, 0])
    assert.equal((await init(edge, '', as('usr_a'))).json.consent, null)
    await post(edge, '/consent', { consentString: { all: false } }, as('usr_no'))
    const refused = (await init(edge, '?consentDisabled=true', as('usr_no'))).json.consent
    assert.deepEqual(refused, { consent: { all: false } })
    const off = await openTestEdge(t, { tag: { consent: 'disabled' } })
    assert.deepEqual((await init(off, '?consentDisabled=true')).json.consent, { consent: { all: true } })
  })

  test('refuses a navigation from another site, and stores nothing', async (t) => {
    const edge = await openTestEdge(t)
    const cookie = { cookie: 'tag_user_id=usr_victim' }
    for (const site of ['cross-site', 'something-new', undefined]) {
      const headers = { ...cookie, 'sec-fetch-mode': 'navigate', ...(site && { 'sec-fetch-site': site }) }
      const { status, json, headers: answered } = await init(edge, '?userId=evil&consentDisabled=true', headers)
      assert.deepEqual([status, json.error, answered['set-cookie']], [403, 'NAVIGATION_REFUSED', undefined], site)
    }
    for (const userId of ['usr_victim', 'evil'])
      assert.equal(await edge.deps.profiles.get({ tag: { tagId, teamId }, userId }), undefined)
    for (const site of ['same-origin', 'same-site', 'none'])
      assert.equal((await init(edge, '', { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': site })).status, 200, site)
  })

  test('answers a fetch from a page of another site that the tag lists, as the SDK of the original service calls it', async (t) => {
    const edge = await openTestEdge(t)
    for (const mode of ['cors', 'no-cors', 'same-origin'])
      for (const site of ['cross-site', 'same-site', 'same-origin']) {
        const fetched = { ...page, 'sec-fetch-mode': mode, 'sec-fetch-site': site, 'sec-fetch-dest': 'empty' }
        const { status, json } = await init(edge, '?userId=usr_sdk', fetched)
        assert.deepEqual([status, json.userId], [200, 'usr_sdk'], `${mode} ${site}`)
      }
  })

  test('sets no cookie for an id from the query, so that the author of the link reads nothing of the visitor', async (t) => {
    const edge = await openTestEdge(t)
    const planted = await init(edge, '?userId=evil')
    assert.deepEqual([planted.json.userId, planted.headers['set-cookie']], ['evil', undefined])
    const later = await edge.ask({ body: event({ userEmail: 'victim@example.com' }), headers: page })
    assert.notEqual(later.json.result.userId, 'evil')
    const read = await edge.ask({ method: 'GET', path: `/t/${tagId}/keys`, headers: as('evil') })
    assert.deepEqual(read.json, { result: [] })
    const own = await init(edge, '?userId=evil', { ...page, cookie: 'tag_user_id=usr_own' })
    assert.match(`${own.headers['set-cookie']}`, /^tag_user_id=usr_own; /)
  })

  test('returns a consent to everything for a tag that requires no consent', async (t) => {
    const edge = await openTestEdge(t, { tag: { consent: 'disabled' } })
    assert.deepEqual((await init(edge)).json.consent, { consent: { all: true } })
  })

  test('answers while no event can be accepted', async (t) => {
    const edge = await openTestEdge(t, { deps: { retryAfterSeconds: () => 3 } })
    assert.equal((await init(edge)).status, 200)
    assert.equal((await post(edge, '/data', { data: { a: 1 } }, as('usr_a'))).status, 503)
  })
})

describe('POST /consent', () => {
  test('appends the consent at the place where an event carries it, and updates the profile at once', async (t) => {
    const edge = await openTestEdge(t, { deps: { brand: 'AcmeTags' } })
    const consentString = { facebook: { main: true } }
    const { json } = await post(edge, '/consent', { consentString }, { ...page, acmetagsuserid: 'usr_a' })
    assert.deepEqual(json, { result: { status: 'accepted', userId: 'usr_a' } })
    const { context, body } = edge.lastRecord()
    assert.equal(context.kind, 'consent')
    assert.deepEqual((body as { storage: unknown }).storage, { acmeTags: { consent: consentString } })
    const profile = await edge.deps.profiles.get({ tag: { tagId, teamId }, userId: 'usr_a' })
    const { proof, ...consent } = profile!.consent!
    assert.deepEqual(consent, { consent: { facebook: {} }, at: now })
    assert.deepEqual([proof?.at, proof?.source, proof?.eventId], [now, 'device', (body as { eventId: string }).eventId])
  })

  test('changes nothing where its timestamp is older than the stored consent', async (t) => {
    const edge = await openTestEdge(t)
    await post(edge, '/consent', { consentString: { all: false } }, as('usr_a'))
    await post(edge, '/consent', { consentString: { all: true }, timestamp: now - 60_000 }, as('usr_a'))
    assert.deepEqual((await init(edge, '', as('usr_a'))).json.consent, { consent: { all: false } })
  })
})

describe('?sync=true', () => {
  const deliveries = [{ scriptId: 'scr_1', providerId: 'eventSink', status: 'delivered' }] as const
  const access = { by: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']) }
  const authenticate = async () => access

  test('waits for the deliveries of the event, and returns them', async (t) => {
    const waitedFor: unknown[] = []
    const deliveriesOf = async (tag: { tagId: string }, eventId: string) => {
      waitedFor.push([tag.tagId, eventId])
      return [...deliveries]
    }
    const edge = await openTestEdge(t, { deps: { deliveriesOf } })
    const { json } = await edge.ask({ path: `/t/${tagId}/tag?sync=true`, body: event(), headers: as('usr_a') })
    assert.deepEqual(json.result, { eventId: 'e-1', userId: 'usr_a', status: 'accepted', deliveries })
    assert.deepEqual(waitedFor, [[tagId, 'e-1']])
    assert.equal((await edge.ask({ body: event({ eventId: 'e-2' }) })).json.result.deliveries, undefined)
    const no = await edge.ask({ path: `/t/${tagId}/tag?sync=false`, body: event({ eventId: 'e-3' }) })
    assert.equal(no.json.result.deliveries, undefined)
  })

  test('returns no deliveries of a duplicate to an untrusted caller', async (t) => {
    const edge = await openTestEdge(t, { deps: { deliveriesOf: async () => [...deliveries], authenticate } })
    const ask = async (eventId: string, headers: Record<string, string>) =>
      (await edge.ask({ path: `/t/${tagId}/tag?sync=true`, body: event({ eventId }), headers })).json.result
    assert.deepEqual((await ask('of the victim', as('usr_victim'))).deliveries, deliveries)
    for (const headers of [as('usr_eve'), as('usr_victim'), page, {}]) {
      const { status, deliveries: returned } = await ask('of the victim', headers)
      assert.deepEqual([status, returned], ['duplicate', undefined])
    }
    const trusted = { authorization: 'Bearer good', 'team-id': teamId }
    await ask('of the shop', trusted)
    assert.deepEqual((await ask('of the shop', trusted)).deliveries, deliveries)
    assert.deepEqual(await ask('of the shop', as('usr_eve')), {
      eventId: 'of the shop',
      userId: 'usr_eve',
      status: 'duplicate',
    })
  })

  test('returns the deliveries of an event with an e-mail only to a trusted caller, whether the e-mail is known or not', async (t) => {
    const edge = await openTestEdge(t, { deps: { deliveriesOf: async () => [...deliveries], authenticate } })
    const deliveriesFor = async (more: object, headers: Record<string, string> = {}) =>
      (await edge.ask({ path: `/t/${tagId}/tag?sync=true`, body: event(more), headers })).json.result.deliveries
    await post(edge, '/user', { key: 'email', value: 'jane@example.com' }, as('usr_jane'))
    for (const userEmail of ['jane@example.com', 'nobody@example.com']) {
      assert.equal(await deliveriesFor({ eventId: `a ${userEmail}`, userEmail }), undefined)
      assert.equal(await deliveriesFor({ eventId: `b ${userEmail}`, data: { userEmail } }, as('usr_eve')), undefined)
      const trusted = { authorization: 'Bearer good', 'team-id': teamId }
      assert.deepEqual(await deliveriesFor({ eventId: `c ${userEmail}`, userEmail }, trusted), deliveries)
    }
    assert.equal(await deliveriesFor({ eventId: 'own' }, as('usr_jane')), undefined)
    assert.deepEqual(await deliveriesFor({ eventId: 'none' }, as('usr_eve')), deliveries)
  })

  test('is 400 for an array, and nothing is stored', async (t) => {
    const edge = await openTestEdge(t)
    const { status } = await edge.ask({ path: `/t/${tagId}/tag?sync=true`, body: [event()] })
    assert.deepEqual([status, edge.appended.length], [400, 0])
  })
})

describe('a call', () => {
  test('by GET with a body is 400 with a message that says what to do', async (t) => {
    const edge = await openTestEdge(t)
    for (const call of ['/init', '/keys', '/data?keys=a']) {
      const { status, json } = await edge.ask({ method: 'GET', path: `/t/${tagId}${call}`, body: { keys: ['a'] } })
      assert.deepEqual(
        [status, json.message],
        [400, 'A GET request must not have a body. Send the parameters in the query.'],
        call,
      )
    }
  })

  test('by another method is 405 with the allowed methods', async (t) => {
    const edge = await openTestEdge(t)
    for (const [call, allow] of [
      ['/init', 'GET, HEAD, OPTIONS'],
      ['/user', 'POST, OPTIONS'],
      ['/data', 'POST, GET, HEAD, OPTIONS'],
      ['/keys', 'GET, HEAD, OPTIONS'],
      ['/consent', 'POST, OPTIONS'],
    ] as const) {
      const { status, headers } = await edge.ask({ method: 'DELETE', path: `/t/${tagId}${call}` })
      assert.deepEqual([status, headers.allow], [405, allow], call)
      const preflight = await edge.ask({ method: 'OPTIONS', path: `/t/${tagId}${call}`, headers: page })
      assert.deepEqual([preflight.status, preflight.headers.allow], [204, allow])
    }
  })

  test('that a channel of this server sent is refused, which ends loops', async (t) => {
    const edge = await openTestEdge(t)
    for (const [method, call, body] of [
      ['POST', '/tag', event()],
      ['POST', '/data', { data: { a: 1 } }],
      ['GET', '/init', undefined],
    ] as const) {
      const path = `/t/${tagId}${call}`
      const { status, json } = await edge.ask({ method, path, body, headers: { 'x-aglet-hop': '1' } })
      assert.deepEqual([status, json.error], [403, 'LOOP_REFUSED'], call)
    }
    assert.equal(edge.appended.length, 0)
  })
})
