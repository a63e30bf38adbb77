import { randomUUID } from 'node:crypto'
import { call, makeCustomer } from '../../test/fake/aglet.ts'
import { startMeasured } from '../aglet.ts'
import { type Ask, eventIdAt, type MakeAsk, shopEvent } from '../load.ts'
import type { Part, Row, Scale } from '../part.ts'
import { interleaved, sampleIntake, withRatio } from '../sample.ts'
import { type Target, using } from '../target.ts'

type Shop = ReturnType<typeof shopEvent> & { data: { contents: Record<string, unknown>[] } & Record<string, unknown> }

/** The event of `shopEvent` as a Segment message. */
function segmentMessage(sentAtMs: number): Record<string, unknown> {
  const event = shopEvent(eventIdAt(sentAtMs)) as Shop
  const { value, currency, orderId, contents } = event.data
  return {
    type: 'track',
    event: 'Order Completed',
    messageId: event.eventId,
    anonymousId: randomUUID(),
    timestamp: new Date(event.timestamp as number).toISOString(),
    properties: {
      total: value,
      currency,
      order_id: orderId,
      products: contents.map(({ id, title, item_price, ...item }) => ({
        product_id: id,
        name: title,
        price: item_price,
        ...item,
      })),
    },
    context: {
      page: { url: event.pageUrl, title: event.pageTitle, referrer: event.referrer, search: event.search },
      userAgent: event.userAgent,
      traits: { email: event.userEmail },
      consent: { categoryPreferences: { all: true } },
    },
    integrations: { All: true },
  }
}

const own = (count: number): MakeAsk => {
  const events = (sentAtMs: number) => Array.from({ length: count }, () => shopEvent(eventIdAt(sentAtMs)))
  return (sentAtMs): Ask => ({
    body: JSON.stringify(count === 1 ? events(sentAtMs)[0] : events(sentAtMs)),
    headers: { serviceuserid: randomUUID() },
  })
}

const bySegment =
  (tagId: string, path: string) =>
  (count: number): MakeAsk =>
  (sentAtMs): Ask => ({
    path,
    body: JSON.stringify({ batch: Array.from({ length: count }, () => segmentMessage(sentAtMs)) }),
    headers: { authorization: `Basic ${Buffer.from(`${tagId}:`).toString('base64')}` },
  })

async function run(scale: Scale, tell: (row: Row) => void): Promise<void> {
  const edge = startMeasured({
    role: 'edge',
    async make(aglet) {
      const customer = await makeCustomer(aglet, 'bench')
      await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: ['segment'] })
      return customer
    },
  })
  await using<Target>([edge], async () => {
    const target = await edge
    const { tagId, tagUrl } = target.made
    const doors = [
      { who: 'POST /tag', ask: own },
      { who: 'Segment', ask: bySegment(tagId, `${new URL(tagUrl).pathname}/v1/batch`) },
    ]
    for (const count of [1, 50]) {
      for (const { ask } of doors) await sampleIntake(target, Math.min(2, scale.seconds), ask(count))
      const samples = await interleaved(doors, scale.rounds, ({ ask }) =>
        sampleIntake(target, scale.seconds, ask(count)),
      )
      for (const [n, { cpuUs: _, ...figures }] of withRatio(samples).entries())
        tell({
          size: count === 1 ? '1 event of 1 KB' : '50 events of 1 KB',
          who: doors[n]!.who,
          keeps: 'disk',
          figures,
        })
    }
  })
}

export const sources: Part = {
  name: 'sources',
  says: 'The same event by the address of a source, beside `POST /tag`.',
  run,
}
