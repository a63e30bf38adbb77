import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { aglet, call, makeCustomer, makeScript, openAglet, sinkAt, until } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor(({ path }) => ({ status: path === '/locked' ? 401 : 400 }))
const receiver = await openVendor()
after(() => Promise.all([vendor.close(), receiver.close()]))
const server = await openAglet('replay', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const as = await makeCustomer(server, 'shop')

type Standing = { deliveries: { scriptId: string; status: string; replayId?: string; attempts: unknown[] }[] }
const sink = (name: string, path: string) => makeScript(as, 'eventSink', name, sinkAt(vendor.url + path))

test('a vendor that refused an event takes it in a replay, and the owner hears of a channel that is paused', async () => {
  const scriptId = await sink('open', '/open')
  const locked = await sink('locked', '/locked')
  const hook = await call<{ secret: string }>(as, 'POST', '/hook', { url: receiver.url, kind: 'alert' })
  const event = { eventName: 'PageView', eventId: 'visit-1', timestamp: Date.now() }
  const consent = { storage: { service: { consent: { all: true } } } }
  const sent = await fetch(`${as.tagUrl}/tag`, { method: 'POST', body: JSON.stringify({ ...event, ...consent }) })
  assert.equal(sent.status, 200)
  const standing = async () =>
    (await call<Standing>(as, 'GET', `/tag/${as.tagId}/event/visit-1`)).body.deliveries.find(
      (each) => each.scriptId === scriptId,
    )
  await until(async () => (await standing())?.status === 'refused')

  vendor.answer = ({ path }) => ({ status: path === '/locked' ? 401 : 200 })
  const where = ['--base-url', as.baseUrl, '--token', as.token]
  const asked = ['replay', as.tagId, '--from', '2026-01-01', '--to', `${Date.now()}`, '--status', 'refused', ...where]
  const tried = await aglet<{ state: string; scripts: object[] }>(server.data, ...asked, '--dry-run')
  assert.deepEqual(tried.scripts, [{ scriptId, matched: 1, replayed: 1, left: {}, now: {} }])
  const wanted = { from: 0, to: Date.now(), status: 'refused' }
  const { replayId } = (await call<{ replayId: string }>(as, 'POST', `/tag/${as.tagId}/replay`, wanted)).body
  const address = `/tag/${as.tagId}/replay/${replayId}`
  const read = async () => (await call<{ state: string; scripts: { now: object }[] }>(as, 'GET', address)).body
  await until(async () => (await read()).state === 'done')
  assert.deepEqual((await read()).scripts[0]?.now, { delivered: 1 })
  const { status, attempts, replayId: by } = (await standing())!
  assert.deepEqual([status, attempts.length, by], ['delivered', 2, replayId])
  const got = vendor.got
    .filter(({ path }) => path === '/open')
    .map(({ json }) => json as { payload: { timestamp: number } })
  assert.deepEqual(
    got.map(({ payload }) => payload.timestamp),
    [event.timestamp, event.timestamp],
  )

  type Alert = { type: string; data: { scriptId: string; reason: string } }
  const alerts = () =>
    receiver.got.map(({ body, headers }) => {
      const verified = new Webhook(hook.body.secret).verify(body, headers as Record<string, string>) as Alert
      return [verified.type, verified.data.scriptId, verified.data.reason]
    })
  const paused = ['channel.paused', locked, 'keyRejected']
  await until(() => alerts().some((alert) => isDeepStrictEqual(alert, paused)))
})
