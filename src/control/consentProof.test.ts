import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import { withProof } from '#consent/consentProof.ts'
import { readStatedConsent } from '#consent/statedConsent.ts'
import type { Journey } from '#contract/journey.ts'
import type { UserRecord } from '#contract/userRecord.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import type { PlannedEvent } from '#store/store.ts'
import { noUserFacts, updateProfile } from '#user/profile.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const { clock } = control
const { store, stream, keys, profiles } = control.environments.production

type Given = { userId?: string; service?: object; consent?: PlannedEvent['consent']; isRefused?: boolean }

/** An event of a visitor, planned for one channel, with its consent stored as by the worker. */
async function makeAnswered(as: Customer, eventId: string, given: Given & { scriptId?: string }): Promise<void> {
  const { userId = 'usr_1', service, consent, isRefused = false, scriptId = 'scr_1' } = given
  const { tagId, teamId } = as
  const receivedAt = clock.now()
  const context = { tagId, teamId, userId, hasExplicitUserId: true, trusted: false, receivedAt }
  const event = { eventName: 'Purchase', eventId, timestamp: receivedAt, ...(service && { storage: { service } }) }
  const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(event)) }], context, keys)
  const taken = dedupKeys([eventId], context, keys)
  await stream.append({ tagId, payload, ...taken })
  const place = (await stream.find(taken.keys[0]!))!
  const stated = readStatedConsent(event, receivedAt, 'Service', { scripts: [] }).consent
  const own = stated && withProof(stated, { event, context }, 'service')
  if (own) {
    const change = (known: Parameters<typeof updateProfile>[0]) =>
      updateProfile(known, noUserFacts, { at: receivedAt, consent: own })
    await (await profiles.change({ tag: as, userId }, change)).written
  }
  const deliveryId = deliveryIdOf({ ...place, receivedAt, scriptId })
  const state = isRefused ? ({ status: 'skipped', reason: 'consent' } as const) : ({ status: 'delivered' } as const)
  const decided = stated && {
    ...(stated.consent && { consent: stated.consent }),
    ...(stated.consentCategories && { consentCategories: stated.consentCategories }),
    ...stated.texts,
  }
  await store.journal.plan([
    {
      ...{ ...place, tagId, eventName: 'Purchase', userId, receivedAt, place: { source: 'unknown' } },
      consent: consent ?? { source: 'event', at: receivedAt, ...(decided && { decided }) },
      deliveries: [{ deliveryId, scriptId, providerId: 'eventSink', ...state }],
    },
  ])
}

const shown = { banner: 'klaro', version: '0.7', textVersion: '2026-04' }
const agreed = { consentCategories: { advertising: true }, consentTexts: shown }
const readJourney = async (as: Customer, eventId: string) =>
  (await callControl(control, 'readEvent', as, { values: { tagId: as.tagId, eventId } })).body as unknown as Journey

async function exportRows(as: Customer, query: string) {
  const headers = { authorization: `Bearer ${as.token}`, 'team-id': as.teamId }
  const answer = await control.app.inject({ url: `/v1/tag/${as.tagId}/export?${query}`, headers })
  const rows = answer.statusCode === 200 ? answer.body.split('\n').filter(Boolean) : []
  return { status: answer.statusCode, rows: rows.map((row) => JSON.parse(row) as Record<string, unknown>) }
}

test('the record of a user has the proof of the last answer, and each event that of its own', async () => {
  const as = await makeCustomer(control)
  const long = `C${'A'.repeat(2_000)}`
  await makeAnswered(as, 'first', { service: agreed })
  await clock.turn(1_000)
  await makeAnswered(as, 'second', { service: { ...agreed, consentTexts: { ...shown, tcf: long } } })
  const { body } = await callControl(control, 'readUser', as, { values: { tagId: as.tagId, userId: 'usr_1' } })
  const { consent, events } = body as unknown as UserRecord
  const at = clock.now()
  const tcfSha256 = createHash('sha256').update(long).digest('hex')
  assert.deepEqual(consent?.proof, { at, source: 'device', eventId: 'second', ...shown, tcfSha256 })
  assert.deepEqual(
    events.map((each) => each.consent?.proof),
    [
      { at, source: 'device', eventId: 'second', ...shown, tcf: long },
      { at: at - 1_000, source: 'device', eventId: 'first', ...shown },
    ],
  )
})

test('a journey tells for each channel which rule of the consent let it have the event, and the proof of the answer', async () => {
  const as = await makeCustomer(control)
  const advertising = await makeScript(control, as, { name: 'ads', consentCategory: 'advertising' })
  const analytics = await makeScript(control, as, { name: 'figures', consentCategory: 'analytics' })
  await makeAnswered(as, 'sent', { service: agreed, scriptId: advertising })
  await makeAnswered(as, 'stopped', { service: agreed, scriptId: analytics, isRefused: true })
  const sent = await readJourney(as, 'sent')
  assert.deepEqual(sent.deliveries[0]?.consentCheck, { category: 'advertising', isAllowed: true, rule: 'agreed' })
  assert.deepEqual(sent.consentProof, { at: clock.now(), source: 'device', eventId: 'sent', ...shown })
  const { deliveries } = await readJourney(as, 'stopped')
  assert.deepEqual(deliveries[0]?.consentCheck, { category: 'analytics', isAllowed: false, rule: 'category' })
})

test('a journey names the bit of a string that refused, and the purposes that the tag needs', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'ads', consentCategory: 'advertising' })
  const service = { consentTexts: { ...shown, tcf: 'no string' } }
  await makeAnswered(as, 'unreadable', { service, scriptId, isRefused: true })
  const { deliveries } = await readJourney(as, 'unreadable')
  const { rule, bit, purposes, isAllowed } = deliveries[0]!.consentCheck!
  assert.deepEqual([rule, bit, purposes, isAllowed], ['tcf', 'unreadable', [1, 3, 4, 7], false])
})

test('a journey that the stored answer decided has its proof, until the visitor answers anew', async () => {
  const as = await makeCustomer(control)
  await makeAnswered(as, 'answer', { service: agreed })
  const consent = { source: 'stored', at: clock.now(), decided: { consentCategories: { advertising: true } } } as const
  await clock.turn(1_000)
  await makeAnswered(as, 'later', { consent })
  assert.equal((await readJourney(as, 'later')).consentProof?.eventId, 'answer')
  await makeAnswered(as, 'anew', { service: { ...agreed, consentCategories: { all: false } } })
  assert.equal((await readJourney(as, 'later')).consentProof, undefined)
})

test('the rule of a channel that was stopped though the answer allowed it is a later answer, or that of another visitor', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'ads', consentCategory: 'advertising' })
  const decided = { consentCategories: { advertising: true } }
  const trace = { source: 'stored', at: clock.now(), decided } as const
  await makeAnswered(as, 'withdrawn', { consent: trace, scriptId, isRefused: true })
  await makeAnswered(as, 'joined', { consent: { ...trace, joinedBy: 'email' }, scriptId, isRefused: true })
  const rules = await Promise.all(
    ['withdrawn', 'joined'].map(async (id) => (await readJourney(as, id)).deliveries[0]?.consentCheck?.rule),
  )
  assert.deepEqual(rules, ['later', 'others'])
})

test('without user:read a journey has the rule and no proof, and the exports of proofs are refused', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'ads', consentCategory: 'advertising' })
  await makeAnswered(as, 'sent', { service: agreed, scriptId })
  const scopes = ['event:read'] as const
  const { token } = await createToken(
    control.environments.production,
    { teamId: as.teamId, scopes: [...scopes] },
    'operator',
  )
  const { consentProof, deliveries } = await readJourney({ ...as, token }, 'sent')
  assert.deepEqual([consentProof, deliveries[0]?.consentCheck?.rule], [undefined, 'agreed'])
  for (const kind of ['consent', 'userConsent'])
    assert.equal((await exportRows({ ...as, token }, `of=${kind}`)).status, 403)
})

test('the export of consents has each event with an answer and each visitor, in a range of time', async () => {
  const as = await makeCustomer(control)
  const from = clock.now()
  await makeAnswered(as, 'early', { service: agreed })
  await clock.turn(1_000)
  await makeAnswered(as, 'silent', {})
  for (let n = 0; n < 250; n++)
    await makeAnswered(as, `of ${n}`, {
      userId: `usr_n${n}`,
      service: { ...agreed, consentCategories: { all: false } },
    })
  const events = await exportRows(as, 'of=consent')
  assert.equal(events.rows.length, 251)
  const { at, receivedAt, ...last } = events.rows.at(-1)!
  assert.deepEqual([at, receivedAt], [from, from])
  assert.deepEqual(last, {
    ...{ source: 'device', ...shown, state: 'agreed', consentCategories: { advertising: true } },
    ...{ eventId: 'early', eventName: 'Purchase', userId: 'usr_1', caller: 'untrusted' },
  })
  const users = await exportRows(as, `of=userConsent&from=${from + 1}`)
  assert.deepEqual([users.rows.length, users.rows[0]?.state], [250, 'refused'])
  const [own, ...others] = (await exportRows(as, 'of=userConsent&userId=usr_1')).rows
  assert.deepEqual([own?.eventId, own?.banner, others], ['early', 'klaro', []])
  assert.equal((await exportRows(as, 'of=userConsent&eventName=Purchase')).status, 400)
})

test('the proof is erased with its person, in the record, the journeys and the exports', async () => {
  const as = await makeCustomer(control)
  await makeAnswered(as, 'gone', { service: agreed, userId: 'usr_gone' })
  await callControl(control, 'eraseUser', as, { values: { tagId: as.tagId, userId: 'usr_gone' } })
  assert.deepEqual((await exportRows(as, 'of=consent')).rows, [])
  assert.deepEqual((await exportRows(as, 'of=userConsent')).rows, [])
  assert.equal((await readJourney(as, 'gone')).consentProof, undefined)
})

test('a journey tells that the string of its event was out of time, could not be read, or was heeded', async () => {
  const as = await makeCustomer(control)
  const core = (updated: number) => {
    const bits = (value: number, width: number) => value.toString(2).padStart(width, '0')
    const times = bits(updated / 100, 36).repeat(2)
    const head = `${bits(2, 6)}${times}${bits(880, 12)}${bits(0, 30)}${bits(45, 12)}${bits(5, 6)}1`.padEnd(264, '0')
    return Buffer.from(head.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2))).toString('base64url')
  }
  const day = 86_400_000
  const warningsOf = async (eventId: string, tcf: string) => {
    await makeAnswered(as, eventId, { service: { consentTexts: { tcf } }, consent: { source: 'none' } })
    return (await readJourney(as, eventId)).consentWarnings
  }
  const now = Math.floor(clock.now() / 100) * 100
  assert.deepEqual(await warningsOf('old', core(now - 391 * day)), ['TCF_OUT_OF_TIME'])
  assert.deepEqual(await warningsOf('broken', '!'), ['TCF_UNREADABLE'])
  assert.equal((await warningsOf('good', core(now - day)))?.includes('TCF_OUT_OF_TIME') ?? false, false)
})
