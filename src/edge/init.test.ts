import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Scope } from '#contract/scopes.ts'
import { aScript } from '../../test/fake/tag.ts'
import { event, now, openDoor, tagId, teamId } from './edge.fixture.ts'

const page = { origin: 'https://example.com' }
const as = (userId: string) => ({ ...page, serviceuserid: userId })
const fresh = /^usr_[0-9a-hjkmnp-tv-z]{26}$/
type Door = Awaited<ReturnType<typeof openDoor>>
const init = (door: Door, query = '', headers: Record<string, string> = page) =>
  door.ask({ method: 'GET', path: `/t/${tagId}/init${query}`, headers })
const post = (door: Door, call: string, body: unknown, headers: Record<string, string>) =>
  door.ask({ path: `/t/${tagId}${call}`, body, headers })

describe('GET /init', () => {
  test('makes a user, sets its cookie, and is stored nowhere', async (t) => {
    const door = await openDoor(t)
    const { status, json, headers } = await init(door)
    assert.equal(status, 200)
    assert.match(json.userId, fresh)
    assert.deepEqual([json.isNewUser, json.consent, json.session.isNewSession], [true, null, true])
    assert.match(json.session.sessionId, /^ses_/)
    assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${json.userId}; `))
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(door.kept.length, 0)
  })

  test('knows who comes again, by header, cookie or query, and goes on with the session', async (t) => {
    const door = await openDoor(t)
    const first = (await init(door)).json
    const byHeader = await init(door, '', as(first.userId))
    const byCookie = await init(door, '', { ...page, cookie: `tag_user_id=${first.userId}` })
    const byQuery = await init(door, `?userId=${first.userId}`)
    for (const { json } of [byHeader, byCookie, byQuery]) {
      assert.deepEqual([json.userId, json.isNewUser], [first.userId, false])
      assert.deepEqual(json.session, { sessionId: first.session.sessionId, isNewSession: false })
    }
    for (const { headers } of [byHeader, byCookie])
      assert.match(`${headers['set-cookie']}`, new RegExp(`^tag_user_id=${first.userId}; `))
  })

  test('makes a user of this tag of an id that the tag does not know', async (t) => {
    const door = await openDoor(t)
    assert.deepEqual([(await init(door, '?userId=from-elsewhere')).json.isNewUser, door.kept.length], [true, 0])
    assert.equal((await init(door, '?userId=from-elsewhere')).json.isNewUser, false)
  })

  test('begins another session after half an hour without a page', async (t) => {
    const clock = { now: () => now, wait: async () => {} }
    const door = await openDoor(t, { on: { clock } })
    const first = (await init(door)).json
    clock.now = () => now + 31 * 60_000
    const { session, isNewUser } = (await init(door, '', as(first.userId))).json
    assert.deepEqual([session.isNewSession, isNewUser], [true, false])
    assert.notEqual(session.sessionId, first.session.sessionId)
  })

  test('lists every deployed channel, with what it wants captured, also those without a part in the page', async (t) => {
    const scripts = [aScript('scr_1', { providerId: 'facebook' }), aScript('scr_2'), aScript('scr_3', { paused: true })]
    const variables = async (_: unknown, { scriptId }: { scriptId: string }): Promise<Record<string, string>> =>
      scriptId === 'scr_1' ? { FACEBOOK_PIXEL_ID: '42' } : {}
    const door = await openDoor(t, { tag: { scripts }, on: { variables } })
    const capture = [
      { type: 'query', key: 'fbclid', persist: 'edge' },
      { type: 'storage', key: '_fbc', persist: 'edge', location: 'cookie' },
      { type: 'storage', key: '_fbp', persist: 'edge', location: 'cookie' },
    ]
    const gross = { purchaseValueMode: 'gross' }
    const sink = { package: 'eventSink', category: 'analytics', variables: {}, rules: { capture: [] }, ...gross }
    const meta = { package: 'facebook', category: 'advertising', ...gross, inPage: true }
    assert.deepEqual((await init(door)).json.result, [
      { ...meta, variables: { FACEBOOK_PIXEL_ID: '42' }, rules: { capture } },
      sink,
      sink,
    ])
  })

  test("tells the category of a channel: the script's own, else its provider's; and its value mode", async (t) => {
    const own = { providerId: 'facebook', consentCategory: 'functional', purchaseValueMode: 'net' } as const
    const door = await openDoor(t, { tag: { scripts: [aScript('scr_1', own), aScript('scr_2')] } })
    const rows = (await init(door)).json.result as { category: string; purchaseValueMode: string }[]
    assert.deepEqual(
      rows.map(({ category, purchaseValueMode }) => [category, purchaseValueMode]),
      [
        ['functional', 'net'],
        ['analytics', 'gross'],
      ],
    )
  })

  test('lets nothing of advertising run in a browser that asks for it (Sec-GPC), on a tag that heeds it', async (t) => {
    const scripts = [aScript('scr_1', { providerId: 'facebook' }), aScript('scr_2')]
    const refused = async (gpc: boolean, headers: Record<string, string>) => {
      const door = await openDoor(t, { tag: { scripts, gpc } })
      const rows = (await init(door, '', { ...page, ...headers })).json.result as { refused?: true }[]
      return rows.map((row) => row.refused)
    }
    assert.deepEqual(await refused(true, { 'sec-gpc': '1' }), [true, undefined])
    assert.deepEqual(await refused(true, {}), [undefined, undefined])
    assert.deepEqual(await refused(false, { 'sec-gpc': '1' }), [undefined, undefined])
  })

  test('tells what the user has agreed to: by /consent, as it was given last', async (t) => {
    const door = await openDoor(t)
    await post(
      door,
      '/consent',
      { consentString: { all: true, nonsense: 1 }, consentCategories: { analytics: true } },
      as('usr_a'),
    )
    const given = { consent: { all: true }, consentCategories: { analytics: true } }
    assert.deepEqual((await init(door, '', as('usr_a'))).json.consent, given)
    await post(door, '/consent', { consentString: { all: false } }, as('usr_a'))
    assert.deepEqual((await init(door, '', as('usr_a'))).json.consent, { consent: { all: false } })
    assert.equal((await init(door, '', as('usr_b'))).json.consent, null)
  })

  test('switches no consent off that the setting of the tag asks for: ?consentDisabled=true stores and answers none', async (t) => {
    const door = await openDoor(t)
    const { json } = await init(door, '?consentDisabled=true', as('usr_a'))
    assert.deepEqual([json.consent, door.kept.length], [null, 0])
    assert.equal((await init(door, '', as('usr_a'))).json.consent, null)
    await post(door, '/consent', { consentString: { all: false } }, as('usr_no'))
    const refused = (await init(door, '?consentDisabled=true', as('usr_no'))).json.consent
    assert.deepEqual(refused, { consent: { all: false } })
    const off = await openDoor(t, { tag: { consent: 'disabled' } })
    assert.deepEqual((await init(off, '?consentDisabled=true')).json.consent, { consent: { all: true } })
  })

  test('refuses a navigation from another site, and stores nothing of it', async (t) => {
    const door = await openDoor(t)
    const cookie = { cookie: 'tag_user_id=usr_victim' }
    for (const site of ['cross-site', 'something-new', undefined]) {
      const headers = { ...cookie, 'sec-fetch-mode': 'navigate', ...(site && { 'sec-fetch-site': site }) }
      const { status, json, headers: answered } = await init(door, '?userId=evil&consentDisabled=true', headers)
      assert.deepEqual([status, json.error, answered['set-cookie']], [403, 'NAVIGATION_REFUSED', undefined], site)
    }
    for (const userId of ['usr_victim', 'evil'])
      assert.equal(await door.world.people.get({ tag: { tagId, teamId }, userId }), undefined)
    for (const site of ['same-origin', 'same-site', 'none'])
      assert.equal((await init(door, '', { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': site })).status, 200, site)
  })

  test('answers fetch from a page of another site that the tag lists, as the SDK of the original service calls it', async (t) => {
    const door = await openDoor(t)
    for (const mode of ['cors', 'no-cors', 'same-origin'])
      for (const site of ['cross-site', 'same-site', 'same-origin']) {
        const fetched = { ...page, 'sec-fetch-mode': mode, 'sec-fetch-site': site, 'sec-fetch-dest': 'empty' }
        const { status, json } = await init(door, '?userId=usr_sdk', fetched)
        assert.deepEqual([status, json.userId], [200, 'usr_sdk'], `${mode} ${site}`)
      }
  })

  test('sets no cookie to an id that stands in the address, and whoever wrote it there reads nothing of the visitor', async (t) => {
    const door = await openDoor(t)
    const planted = await init(door, '?userId=evil')
    assert.deepEqual([planted.json.userId, planted.headers['set-cookie']], ['evil', undefined])
    const later = await door.ask({ body: event({ userEmail: 'victim@example.com' }), headers: page })
    assert.notEqual(later.json.result.userId, 'evil')
    const read = await door.ask({ method: 'GET', path: `/t/${tagId}/keys`, headers: as('evil') })
    assert.deepEqual(read.json, { result: [] })
    const own = await init(door, '?userId=evil', { ...page, cookie: 'tag_user_id=usr_own' })
    assert.match(`${own.headers['set-cookie']}`, /^tag_user_id=usr_own; /)
  })

  test('of a tag that asks for no consent says that all is agreed to', async (t) => {
    const door = await openDoor(t, { tag: { consent: 'disabled' } })
    assert.deepEqual((await init(door)).json.consent, { consent: { all: true } })
  })

  test('answers while no event can be taken', async (t) => {
    const door = await openDoor(t, { on: { busy: () => 3 } })
    assert.equal((await init(door)).status, 200)
    assert.equal((await post(door, '/data', { data: { a: 1 } }, as('usr_a'))).status, 503)
  })
})

describe('POST /consent', () => {
  test('goes into the stream where the consent of an event stands, and is known at once', async (t) => {
    const door = await openDoor(t, { on: { brand: 'AcmeTags' } })
    const consentString = { facebook: { main: true } }
    const { json } = await post(door, '/consent', { consentString }, { ...page, acmetagsuserid: 'usr_a' })
    assert.deepEqual(json, { result: { status: 'accepted', userId: 'usr_a' } })
    const { context, body } = door.last()
    assert.equal(context.kind, 'consent')
    assert.deepEqual((body as { storage: unknown }).storage, { acmeTags: { consent: consentString } })
    const profile = await door.world.people.get({ tag: { tagId, teamId }, userId: 'usr_a' })
    assert.deepEqual(profile?.consent, { consent: { facebook: {} }, at: now })
  })

  test('that was given earlier and comes later changes nothing', async (t) => {
    const door = await openDoor(t)
    await post(door, '/consent', { consentString: { all: false } }, as('usr_a'))
    await post(door, '/consent', { consentString: { all: true }, timestamp: now - 60_000 }, as('usr_a'))
    assert.deepEqual((await init(door, '', as('usr_a'))).json.consent, { consent: { all: false } })
  })
})

describe('?sync=true', () => {
  const deliveries = [{ scriptId: 'scr_1', providerId: 'eventSink', status: 'delivered' }] as const
  const access = { tokenId: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']) }
  const authenticate = async () => access

  test('waits for what becomes of the event, and tells it', async (t) => {
    const asked: unknown[] = []
    const settled = async (tag: { tagId: string }, eventId: string) => {
      asked.push([tag.tagId, eventId])
      return [...deliveries]
    }
    const door = await openDoor(t, { on: { settled } })
    const { json } = await door.ask({ path: `/t/${tagId}/tag?sync=true`, body: event(), headers: as('usr_a') })
    assert.deepEqual(json.result, { eventId: 'e-1', userId: 'usr_a', status: 'accepted', deliveries })
    assert.deepEqual(asked, [[tagId, 'e-1']])
    assert.equal((await door.ask({ body: event({ eventId: 'e-2' }) })).json.result.deliveries, undefined)
    const no = await door.ask({ path: `/t/${tagId}/tag?sync=false`, body: event({ eventId: 'e-3' }) })
    assert.equal(no.json.result.deliveries, undefined)
  })

  test('tells an untrusted caller nothing of a repeat: only of what this request added', async (t) => {
    const door = await openDoor(t, { on: { settled: async () => [...deliveries], authenticate } })
    const ask = async (eventId: string, headers: Record<string, string>) =>
      (await door.ask({ path: `/t/${tagId}/tag?sync=true`, body: event({ eventId }), headers })).json.result
    assert.deepEqual((await ask('of the victim', as('usr_victim'))).deliveries, deliveries)
    for (const headers of [as('usr_eve'), as('usr_victim'), page, {}]) {
      const { status, deliveries: told } = await ask('of the victim', headers)
      assert.deepEqual([status, told], ['duplicate', undefined])
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

  test('tells only a trusted caller of an event with an e-mail, whether somebody is known by it or not', async (t) => {
    const door = await openDoor(t, { on: { settled: async () => [...deliveries], authenticate } })
    const told = async (more: object, headers: Record<string, string> = {}) =>
      (await door.ask({ path: `/t/${tagId}/tag?sync=true`, body: event(more), headers })).json.result.deliveries
    await post(door, '/user', { key: 'email', value: 'jane@example.com' }, as('usr_jane'))
    for (const userEmail of ['jane@example.com', 'nobody@example.com']) {
      assert.equal(await told({ eventId: `a ${userEmail}`, userEmail }), undefined)
      assert.equal(await told({ eventId: `b ${userEmail}`, data: { userEmail } }, as('usr_eve')), undefined)
      const trusted = { authorization: 'Bearer good', 'team-id': teamId }
      assert.deepEqual(await told({ eventId: `c ${userEmail}`, userEmail }, trusted), deliveries)
    }
    assert.equal(await told({ eventId: 'own' }, as('usr_jane')), undefined)
    assert.deepEqual(await told({ eventId: 'none' }, as('usr_eve')), deliveries)
  })

  test('takes one event: several are 400, and none of them is kept', async (t) => {
    const door = await openDoor(t)
    const { status } = await door.ask({ path: `/t/${tagId}/tag?sync=true`, body: [event()] })
    assert.deepEqual([status, door.kept.length], [400, 0])
  })
})

describe('a call', () => {
  test('by GET that has a body is refused with a sentence', async (t) => {
    const door = await openDoor(t)
    for (const call of ['/init', '/keys', '/data?keys=a']) {
      const { status, json } = await door.ask({ method: 'GET', path: `/t/${tagId}${call}`, body: { keys: ['a'] } })
      assert.deepEqual([status, json.message], [400, 'A GET has no body: say in the query what you ask for.'], call)
    }
  })

  test('of another method is 405 with those that are allowed', async (t) => {
    const door = await openDoor(t)
    for (const [call, allow] of [
      ['/init', 'GET, OPTIONS'],
      ['/user', 'POST, OPTIONS'],
      ['/data', 'POST, GET, OPTIONS'],
      ['/keys', 'GET, OPTIONS'],
      ['/consent', 'POST, OPTIONS'],
    ] as const) {
      const { status, headers } = await door.ask({ method: 'DELETE', path: `/t/${tagId}${call}` })
      assert.deepEqual([status, headers.allow], [405, allow], call)
      const preflight = await door.ask({ method: 'OPTIONS', path: `/t/${tagId}${call}`, headers: page })
      assert.deepEqual([preflight.status, preflight.headers.allow], [204, allow])
    }
  })

  test('that a channel of ours sent is refused: loops end', async (t) => {
    const door = await openDoor(t)
    for (const [method, call, body] of [
      ['POST', '/tag', event()],
      ['POST', '/data', { data: { a: 1 } }],
      ['GET', '/init', undefined],
    ] as const) {
      const path = `/t/${tagId}${call}`
      const { status, json } = await door.ask({ method, path, body, headers: { 'x-aglet-hop': '1' } })
      assert.deepEqual([status, json.error], [403, 'LOOP_REFUSED'], call)
    }
    assert.equal(door.kept.length, 0)
  })
})
