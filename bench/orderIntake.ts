/**
 * What an order id and shops add to an event: `node bench/orderIntake.ts [rounds] [edge|all]`. The same event in turns, with the id in a
 * field that nobody reads, with the order id, and with it on a tag with a shop and orders. CPU time of the server, all its
 * threads: of the intake alone (`edge`), or with the plan of the event (`all`).
 */

import { sealSecret } from '#cli/sealSecret.ts'
import { call, makeCustomer } from '../test/fake/aglet.ts'
import { startMeasured } from './aglet.ts'
import { eventIdAt, type MakeAsk, median, shopEvent } from './load.ts'
import { sampleIntake } from './sample.ts'
import { using } from './target.ts'

const rounds = Number(process.argv[2] ?? 60)
const role = process.argv[3] === 'all' ? 'all' : 'edge'

const make = async (aglet: Parameters<typeof makeCustomer>[0]) => {
  const [bare, shop] = [await makeCustomer(aglet, 'bare'), await makeCustomer(aglet, 'shop')]
  const sealed = { variable: 'WEBHOOK_KEY', type: 'PASSWORD', value: 'shpss_0123456789abcdef0123456789' } as const
  const key = await sealSecret({ ...shop, ...sealed, team: shop.teamId, provider: 'shopify' })
  const shops = [{ source: 'shopify', shop: 'bench.myshopify.com', secrets: [key] }]
  const saved = await call(shop, 'PUT', `/tag/${shop.tagId}`, { sources: ['shopify'], shops })
  const order = {
    orderId: 'A-1',
    placedAt: Date.now(),
    updatedAt: Date.now(),
    status: 'paid',
    value: 1,
    currency: 'EUR',
  }
  const kept = await call(shop, 'POST', `/tag/${shop.tagId}/order`, [order])
  for (const { status, body } of [saved, kept]) if (status !== 200) throw new Error(JSON.stringify(body))
  return { tagUrl: bare.tagUrl, shopUrl: shop.tagUrl }
}

const purchase =
  (name: 'orderId' | 'orderNo'): MakeAsk =>
  (sentAtMs) => {
    const event = shopEvent(eventIdAt(sentAtMs))
    const { orderId, ...data } = event.data as Record<string, unknown>
    return { body: JSON.stringify({ ...event, eventName: 'Purchase', data: { ...data, [name]: orderId } }) }
  }

await using([startMeasured({ role, make })], async ([target]) => {
  const { url, made } = target!
  const kinds = [
    { says: 'no order id', url, ask: purchase('orderNo') },
    { says: 'an order id', url, ask: purchase('orderId') },
    { says: 'an order id, on a tag with a shop and orders', url: `${made.shopUrl}/tag`, ask: purchase('orderId') },
  ]
  const took = kinds.map(() => [] as number[])
  for (let round = -2; round < rounds; round++)
    for (const at of kinds.keys()) {
      const n = (at + round + 2) % kinds.length
      const { cpuUs = 0 } = await sampleIntake({ ...target!, url: kinds[n]!.url }, 0.5, kinds[n]!.ask)
      if (round >= 0) took[n]!.push(cpuUs)
    }
  for (const [n, { says }] of kinds.entries()) {
    const share = median(took[n]!.map((each, round) => each / took[0]![round]! - 1))
    process.stdout.write(`${role}, ${says}: ${median(took[n]!).toFixed(1)} µs, ${(share * 100).toFixed(1)} % more\n`)
  }
})
process.exit(0)
