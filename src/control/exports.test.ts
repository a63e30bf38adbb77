import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken, revokeToken } from '#account/token.ts'
import {
  callControl,
  makeCustomer,
  openTestControl,
  whileQueriesAre,
  withChangedDeps,
} from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)

async function download(path: string, { token, teamId }: { token: string; teamId: string }) {
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const answer = await control.app.inject({ url: `/v1${path}`, headers })
  return { status: answer.statusCode, type: String(answer.headers['content-type']), text: answer.body, answer }
}

test('an export has every row of the filter, over all pages, as NDJSON or CSV', async () => {
  const as = await makeCustomer(control)
  const ids = Array.from({ length: 250 }, (_, n) => `event ${n}`)
  for (const eventId of ids) await makeEvent(control, as, eventId)
  const events = await download(`/tag/${as.tagId}/export?of=event`, as)
  assert.match(events.type, /^application\/x-ndjson/)
  const rows = events.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { eventId: string; counts: object })
  assert.deepEqual(
    rows.map(({ eventId }) => eventId),
    ids.toReversed(),
  )
  assert.deepEqual(rows[0]?.counts, { skipped: 1 })

  const csv = await download(`/tag/${as.tagId}/export?of=delivery&format=csv&reason=consent,region`, as)
  assert.match(csv.type, /^text\/csv/)
  assert.match(String(csv.answer.headers['content-disposition']), /^attachment; filename="delivery\.csv"$/)
  const lines = csv.text.trimEnd().split('\r\n')
  assert.equal(lines.length, 251)
  assert.match(lines[0]!, /^deliveryId,eventId,eventName,userId,/)
  assert.match(lines[1]!, /,event 249,Purchase,usr_1,scr_1,eventSink,skipped,consent,\d{4}-\d\d-\d\dT/)
  const none = await download(`/tag/${as.tagId}/export?of=delivery&format=csv&status=dead`, as)
  assert.equal(none.text.split('\r\n').length, 2)
})

test('an event in CSV has its order, value and currency and a column for each status; the order id is for who may read users', async () => {
  const as = await makeCustomer(control)
  await makeEvent(control, as, 'event', { data: { orderId: 'A-1001', value: 84.9, currency: 'EUR' } })
  const path = `/tag/${as.tagId}/export?of=event&format=csv`
  const linesOf = async (token: string) => (await download(path, { ...as, token })).text.split('\r\n').slice(0, 2)
  const head =
    'eventId,eventName,userId,receivedAt,caller,orderId,value,currency,held,pending,delivered,simulated,skipped,refused,dead'
  const at = new Date(control.clock.now()).toISOString()
  assert.deepEqual(await linesOf(as.token), [head, `event,Purchase,usr_1,${at},untrusted,A-1001,84.9,EUR,,,,,1,,`])
  const { token } = await createToken(
    control.environments.production,
    { teamId: as.teamId, scopes: ['event:read'] },
    'operator',
  )
  assert.deepEqual((await linesOf(token))[1], `event,Purchase,usr_1,${at},untrusted,,84.9,EUR,,,,,1,,`)
})

test('a cell of an export that a spreadsheet would run as a formula begins with a quote mark', async () => {
  const as = await makeCustomer(control)
  await makeEvent(control, as, '=cmd()')
  const { text } = await download(`/tag/${as.tagId}/export?of=event&format=csv`, as)
  assert.match(text, /\r\n'=cmd\(\),Purchase/)
})

test('an export of the audit has the rows of the filter alone', async () => {
  const as = await makeCustomer(control)
  await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { name: 'renamed' } })
  const { text } = await download(`/audit/export?what=updateTag&object=${as.tagId}`, as)
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string })
  assert.deepEqual(
    rows.map(({ what }) => what),
    ['updateTag'],
  )
  assert.equal((await download('/audit/export?what=nothing', as)).text, '')
  assert.equal(
    (await download('/audit/export?format=csv&what=nothing', as)).text.split('\r\n')[0],
    'at,by,what,object,from,before,after',
  )
})

test('the audit log is exported without the id of the team', async () => {
  const as = await makeCustomer(control)
  await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { gpc: true } })
  const { text } = await download('/audit/export', as)
  const whats = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string; teamId?: string })
  assert.equal(whats[0]?.what, 'updateTag')
  assert.ok(whats.every(({ teamId }) => teamId === undefined))
})

test('an export ends when the token is revoked meanwhile', async () => {
  const as = await makeCustomer(control)
  for (let n = 0; n < 201; n++) await makeEvent(control, as, `event ${n}`)
  const { store } = control.environments.production
  const queries: typeof store.queries = (teamId) => ({
    ...store.queries(teamId),
    events: async (tagId, filter, page) => {
      await revokeToken(control.environments.production, as.tokenId, 'operator')
      await control.clock.turn(60_000) // an authenticated token is cached for some seconds
      return store.queries(teamId).events(tagId, filter, page)
    },
  })
  const path = `/tag/${as.tagId}/export?of=event`
  await assert.rejects(withChangedDeps(control, { store: { ...store, queries } }, () => download(path, as)))
})

test('a refused query is answered as an Error object; one that fails later breaks the connection', async () => {
  const as = await makeCustomer(control)
  for (let n = 0; n < 201; n++) await makeEvent(control, as, `event ${n}`)
  const path = `/tag/${as.tagId}/export?of=event`
  const busy = await whileQueriesAre(control, 'tooSlow', () => download(path, as))
  assert.deepEqual([busy.status, JSON.parse(busy.text).error], [503, 'QUERY_TOO_SLOW'])
  const { store } = control.environments.production
  const queries: typeof store.queries = (teamId) => ({
    ...store.queries(teamId),
    events: async (tagId, filter, page) => {
      if (page.cursor) throw new Error('the disk is gone')
      return store.queries(teamId).events(tagId, filter, page)
    },
  })
  const failing = withChangedDeps(control, { store: { ...store, queries } }, () => download(path, as))
  await assert.rejects(failing)
})
