import assert from 'node:assert/strict'
import { test } from 'node:test'
import { event, openTestEdge, tagId } from './edge.fixture.ts'

const unreadable = 'TCF_UNREADABLE: the TC string cannot be read: everything except necessary is refused'
const gppUnreadable = unreadable.replace('TCF', 'GPP').replace('TC string', 'GPP string')

test('an event with a consent text that cannot be read is accepted, and its sender is told', async (t) => {
  const edge = await openTestEdge(t)
  const send = async (consentTexts: unknown, headers: Record<string, string> = {}) => {
    const body = event({ eventId: crypto.randomUUID(), storage: { service: { consentTexts } } })
    const { status, json } = await edge.ask({ body, headers: { origin: 'https://example.com', ...headers } })
    assert.equal(status, 200)
    return json.result.warnings
  }
  assert.equal(await send(undefined), undefined)
  assert.deepEqual(await send({ tcf: 'rubbish' }), [unreadable])
  assert.deepEqual(await send({ tcf: 'C'.repeat(9_000), gpp: 7 }), [unreadable, gppUnreadable])
  assert.deepEqual(await send(undefined, { servicetcstring: '=' }), [unreadable])
  assert.deepEqual(await send(undefined, { cookie: 'euconsent-v2=x' }), [unreadable])
  assert.deepEqual(await send(undefined, { servicegppstring: 'x', servicegppsections: '7' }), [gppUnreadable])
})

test('a text of a megabyte costs no more than it takes to read the body', async (t) => {
  const edge = await openTestEdge(t)
  const ask = async (tcf: string) => {
    const body = event({ eventId: crypto.randomUUID(), storage: { service: { consentTexts: { tcf } } } })
    return (await edge.ask({ body, headers: { origin: 'https://example.com' } })).status
  }
  assert.ok([200, 413].includes(await ask('C'.repeat(1_000_000))))
  assert.equal(await ask('CQ'.repeat(10_000)), 200)
})

test('the warnings of a call stand at its first event alone', async (t) => {
  const edge = await openTestEdge(t)
  const body = ['1', '2'].map((eventId) => event({ eventId }))
  const { json } = await edge.ask({ body, headers: { origin: 'https://example.com', servicetcstring: 'x' } })
  assert.deepEqual(
    json.result.map(({ warnings }: { warnings?: string[] }) => warnings),
    [[unreadable], undefined],
  )
})

test('POST /consent tells of a text that cannot be read', async (t) => {
  const edge = await openTestEdge(t)
  const post = async (consentTexts: object, headers: Record<string, string> = {}) =>
    (
      await edge.ask({
        path: `/t/${tagId}/consent`,
        body: { consentTexts },
        headers: { serviceuserid: 'usr_a', ...headers },
      })
    ).json.result
  assert.deepEqual((await post({ tcf: 'x' })).warnings, [unreadable])
  assert.deepEqual((await post({ tcf: 'x' }, { cookie: 'euconsent-v2=x' })).warnings, [unreadable])
  assert.equal(
    (await post({ gpp: 'DBACNY~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA~1YNN', gdprApplies: false })).warnings,
    undefined,
  )
})

test('the texts of header and cookie are stored with the event, cut where they cannot be read', async (t) => {
  const edge = await openTestEdge(t)
  const headers = {
    cookie: `euconsent-v2=${'C'.repeat(8_001)}; a=b`,
    servicetcstring: 'CA',
    origin: 'https://example.com',
  }
  await edge.ask({ body: event({ eventId: '1' }), headers })
  const [record] = edge.records()
  assert.deepEqual(record!.context.callTexts, [{ tcf: 'CA' }, { tcf: '' }])
})
