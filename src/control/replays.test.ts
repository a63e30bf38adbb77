import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const { store } = control.environments.production

/** A customer with events of these ids whose deliveries a channel refused. */
async function withRefused(...eventIds: string[]) {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { consentCategory: 'analytics' })
  for (const eventId of eventIds) await refuse(as, scriptId, eventId)
  const call = (body: Record<string, unknown>) =>
    callControl(control, 'createReplay', as, { values: { tagId: as.tagId }, body })
  return { as, scriptId, call }
}

async function refuse(as: Customer, scriptId: string, eventId: string, trusted = false): Promise<void> {
  await makeEvent(control, as, eventId, { isPlanned: false, trusted })
  const { stream, keys } = control.environments.production
  const place = (await stream.find(keys.team(as.teamId).eventKey(as.tagId, eventId, trusted)))!
  const deliveryId = deliveryIdOf({ ...place, receivedAt: control.clock.now(), scriptId })
  const delivery = {
    deliveryId,
    scriptId,
    providerId: 'eventSink',
    status: 'refused',
    reason: 'payloadRefused',
  } as const
  const event = { ...place, tagId: as.tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: control.clock.now() }
  await store.journal.plan([
    { ...event, consent: { source: 'none' }, place: { source: 'unknown' }, deliveries: [delivery] },
  ])
}
const everything = () => ({ from: 0, to: control.clock.now() })

test('a dry run counts the deliveries by script and the reasons of the others, and changes nothing', async () => {
  const { as, scriptId, call } = await withRefused('one', 'two')
  const audit = (await store.audit(as.teamId, { limit: 50 })).rows.length
  const { status, body } = await call({ ...everything(), dryRun: true })
  assert.equal(status, 200)
  const { replayId, state, matched, replayed, isWhole, scripts } = body
  assert.deepEqual([replayId, state, matched, replayed, isWhole], [undefined, 'dryRun', 2, 0, true])
  assert.deepEqual(scripts, [{ scriptId, matched: 2, replayed: 0, left: { consent: 2 }, now: {} }])
  await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { consent: 'disabled' } })
  const agreed = await call({ ...everything(), dryRun: true, eventIds: ['two', 'nope'] })
  assert.deepEqual([agreed.body.matched, agreed.body.replayed, agreed.body.events], [1, 1, 1])
  assert.deepEqual(await store.replays.unfinished(), [])
  assert.equal((await store.audit(as.teamId, { limit: 50 })).rows.length, audit + 1)
})

test('an id that a trusted and an untrusted caller used selects the events of both', async () => {
  const { as, scriptId, call } = await withRefused('order-2')
  await refuse(as, scriptId, 'order-2', true)
  const { body } = await call({ eventIds: ['order-2'] })
  assert.equal(body.events, 2)
})

test('a replay is answered at once, listed, read, stopped and audited; no event id is stored', async () => {
  const { as, call } = await withRefused('jane@example.com')
  const { body } = await call({ eventIds: ['jane@example.com'] })
  const { replayId } = body
  assert.match(String(replayId), /^rep_/)
  assert.deepEqual([body.state, body.events, body.statuses], ['queued', 1, ['dead', 'refused']])
  const values = { tagId: as.tagId, replayId: String(replayId) }
  const listed = await callControl(control, 'listReplays', as, { values })
  assert.deepEqual(listed.body.replays, [body])
  assert.deepEqual((await callControl(control, 'readReplay', as, { values })).body, body)
  assert.equal((await callControl(control, 'stopReplay', as, { values })).body.state, 'stopping')
  assert.equal((await callControl(control, 'stopReplay', as, { values })).body.state, 'stopping')
  const { rows } = await store.audit(as.teamId, { limit: 2 })
  assert.deepEqual(
    rows.map(({ what, object, by }) => [what, object, by]),
    [
      ['stopReplay', replayId, as.tokenId],
      ['createReplay', replayId, as.tokenId],
    ],
  )
  assert.doesNotMatch(JSON.stringify([rows, await store.replays.get(String(replayId))]), /jane/)
  await store.replays.saveProgress(String(replayId), { state: 'stopped', tally: {}, endedAt: 1 })
})

test('a replay is unknown on another tag', async () => {
  const { call } = await withRefused()
  const { replayId } = (await call(everything())).body
  const other = await withRefused()
  const values = { tagId: other.as.tagId, replayId: String(replayId) }
  assert.equal((await callControl(control, 'readReplay', other.as, { values })).status, 404)
  assert.equal((await callControl(control, 'stopReplay', other.as, { values })).status, 404)
})

test('an invalid request is 400 with its issues', async () => {
  const { call } = await withRefused()
  const cases: [Record<string, unknown>, string][] = [
    [{ to: 1 }, 'from'],
    [{ from: 'soon', to: 1 }, 'from'],
    [{ ...everything(), status: 'pending' }, 'status'],
    [{ ...everything(), status: ['delivered'] }, 'status'],
    [{ eventIds: [] }, 'eventIds'],
  ]
  for (const [body, path] of cases) {
    const response = await call(body)
    assert.equal(response.status, 400, JSON.stringify(body))
    const issues = response.body.attributes?.issues as { path: string }[]
    assert.equal(issues[0]?.path.split('.')[0], path)
  }
})
