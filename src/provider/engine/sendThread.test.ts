import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openVendor, type ReceivedRequest, type VendorReply } from '../../../test/fake/vendor.ts'
import { openSender } from './send.ts'
import { openSendThread } from './sendThread.ts'

const post = (url: string) => ({ method: 'POST', url, headers: { 'x-a': 'b' }, body: '{"a":"ü"}' })
const sameAs = ({ method, path, headers, body }: ReceivedRequest) => ({ method, path, headers, body })

test('from its thread a request is the same, and gets the same answer, as without one', async (t) => {
  const vendor = await openVendor(({ body }) => ({ status: 202, headers: { date: 'today' }, body }))
  const options = { allowPrivate: false, outboundPorts: [], exactAllowed: [`${vendor.url}/inbox`] }
  const [here, apart] = [openSender(options), openSendThread(options)]
  t.after(() => Promise.all([here.close(), apart.close()]).finally(vendor.close))
  const calls = [
    [post(`${vendor.url}/inbox`), 'customer'],
    [post(`${vendor.url}/other`), 'customer'],
    [post('https://10.0.0.1/'), 'tenant'],
    [post(vendor.url), 'fixed'],
    [{ ...post(vendor.url), headers: { 'bad name': 'x' } }, 'fixed'],
    [post('no address'), 'fixed'],
  ] as const
  for (const [request, reach] of calls) {
    const { durationMs: _, ...expected } = await here(request, reach)
    const { durationMs, ...answer } = await apart(request, reach)
    assert.deepEqual(answer, expected)
    assert.ok(durationMs >= 0)
  }
  const [one, same, ...more] = vendor.got.map(sameAs)
  assert.equal(one?.body, '{"a":"ü"}')
  assert.deepEqual(same, one)
  assert.deepEqual(more[0], more[1])
  assert.equal(vendor.got.length, 4)
})

test('closing waits for the answers that are on their way', async (t) => {
  const arrived = Promise.withResolvers<void>()
  const reply = Promise.withResolvers<VendorReply>()
  const vendor = await openVendor(() => {
    arrived.resolve()
    return reply.promise
  })
  t.after(vendor.close)
  const send = openSendThread({ allowPrivate: true, outboundPorts: [] })
  const asked = send(post(vendor.url), 'customer')
  await arrived.promise
  const closed = send.close()
  reply.resolve({ body: 'late' })
  assert.equal(Object(await asked).body, 'late')
  await closed
})
