import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import { makeOrder } from '../../test/fake/orderCases.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const dayMs = 86_400_000

async function download({ token, teamId, tagId }: Customer, query: string) {
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const answer = await control.app.inject({ url: `/v1/tag/${tagId}/export?of=order&${query}`, headers })
  return { status: answer.statusCode, text: answer.body }
}

async function openShop(count: number) {
  const as = await makeCustomer(control)
  const scriptIds = [await makeScript(control, as), await makeScript(control, as, { name: 'second' })]
  const now = control.clock.now()
  const orders = Array.from({ length: count }, (_, n) =>
    makeOrder(now, { orderId: `${n}`, aliases: [], placedAt: now - dayMs + n }),
  )
  await callControl(control, 'putOrders', as, { values: { tagId: as.tagId }, body: orders })
  return { as, scriptIds, now }
}

test('orders are exported as CSV, over all pages: a line for each order and channel with its cell', async () => {
  const { as, scriptIds, now } = await openShop(250)
  const { status, text } = await download(as, 'format=csv')
  assert.equal(status, 200, text)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  assert.equal(
    head,
    'orderId,placedAt,updatedAt,status,salesChannel,value,currency,tax,shipping,discount,refunded,source,isExpected,received,scriptId,channel,cell,reason,eventId,deliveryId,isRetried,isRepeated,valueDiffers,currencyDiffers',
  )
  assert.equal(lines.length, 500)
  const placed = new Date(now - dayMs + 249).toISOString()
  assert.match(
    lines[0]!,
    new RegExp(
      `^249,${placed},[^,]+,paid,web,84\\.9,EUR,13\\.56,4\\.9,,,upload,true,none,${scriptIds[0]},[^,]+,noEvent,,,,,,,$`,
    ),
  )
  assert.deepEqual([...new Set(lines.map((line) => line.split(',')[0]))].length, 250)
})

test('an export of orders has the rows of its channel, its cell and its range alone', async () => {
  const { as, scriptIds, now } = await openShop(3)
  const rows = async (query: string) =>
    (await download(as, query)).text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { orderId: string; scriptId: string })
  assert.deepEqual(
    (await rows(`scriptId=${scriptIds[1]}&cell=noEvent`)).map(({ orderId, scriptId }) => [orderId, scriptId]),
    ['2', '1', '0'].map((orderId) => [orderId, scriptIds[1]]),
  )
  assert.deepEqual(await rows('cell=accepted'), [])
  assert.equal((await rows(`from=${now - dayMs + 2}`)).length, 2)
})

test('an export of orders needs order:read, and takes no filter of events; no other export takes a cell', async () => {
  const { as } = await openShop(1)
  const { token } = await createToken(
    control.environments.production,
    { teamId: as.teamId, scopes: ['event:read'] },
    'operator',
  )
  assert.equal((await download({ ...as, token }, '')).status, 403)
  const refused = await download(as, 'eventName=Purchase')
  assert.deepEqual([refused.status, refused.text.includes('is not a filter for orders')], [400, true])
  assert.equal((await download(as, 'of=event&cell=noEvent')).status, 400)
})
