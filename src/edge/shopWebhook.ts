import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fault } from '#contract/fault.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { parseShopValue } from '#sources/shopSource.ts'
import type { FetchShop, ShopMessage, ShopWebhook, Source, SourceEvent } from '#sources/source.ts'
import { type OpenShop, openShop } from '#tag/shop.ts'
import { appendSourceEvents } from './appendSourceEvents.ts'
import type { EdgeCall } from './edge.ts'
import { receiveRawBody } from './receiveBody.ts'
import { countBodyBytes, overloaded, refuseWhenBusy } from './requestGuards.ts'
import { sendJson } from './sendAnswer.ts'
import { findPurchase, withVisitor } from './shopVisitor.ts'

const notSigned = () =>
  fault('tokenRefused', {
    message: 'The webhook is not signed with the key of a shop of this tag. Check the shops of the tag.',
  })

/**
 * Accepts a signed webhook of a shop. Answers when the order and the events are on disk. Also answers 200 for a webhook
 * that has no effect, because the shop would repeat any other answer for hours. Throws tokenRefused, bodyTooLarge and
 * overloaded.
 */
export async function receiveShopWebhook(
  source: Source,
  received: EdgeCall,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const { edge, tag, request } = received
  const webhook = source.webhook!
  refuseWhenBusy(received)
  edge.deps.intakeRate.takeCall(tag, false)
  const { bytes } = await receiveRawBody(request, eventLimits.bodyBytes, countBodyBytes(received, response))
  const asked = { headers: request.headers, body: bytes, now: edge.deps.clock.now() }
  headers['cache-control'] = 'no-store'
  if (webhook.isPing?.(asked)) return sendJson(response, 200, '{"result":[]}', headers)
  const shop = openShop(source.name, tag, edge.deps.keys)
  if (!shop || !webhook.isSigned(asked, shop)) throw notSigned()
  const call = { ...received, trusted: true }
  const read = { ...asked, brand: edge.deps.brand }
  using turn = webhook.api && edge.shopReads.take(tag.teamId)
  if (webhook.api && !turn) throw overloaded(10)
  const message = await webhook.read(read, shop, shopFetcher(webhook, shop, call))
  const answer = await takeMessage(message, source, call)
  sendJson(response, 200, JSON.stringify(answer), headers)
}

/** Stores the order first: an event whose order is not stored would be missing from the report. */
async function takeMessage(message: ShopMessage, source: Source, call: EdgeCall): Promise<object> {
  const { tag, edge } = call
  const { order, purchase, ignored } = message
  const found = purchase && (await withVisitor(purchase, call))
  const kept = order && (await edge.deps.orders?.keep(tag, { ...order, source: source.name }, found))
  const events = message.refundOf === undefined ? message.events : await ofPurchase(message, call)
  const sent = events.map((each) => (found && each === purchase ? found : { ...visitorOf(found), ...each }))
  const result = sent.length === 0 ? [] : await appendSourceEvents(sent, call)
  const why =
    ignored ?? (message.refundOf !== undefined && events.length === 0 ? 'a refund of an unknown order' : undefined)
  return { result, ...kept, ...(why !== undefined && { ignored: why }) }
}

const visitorOf = (found: SourceEvent | undefined) => (found?.userId === undefined ? {} : { userId: found.userId })

/**
 * Events of a message that only names its order. They get the person, the consent and the order id of the order's
 * purchase.
 */
async function ofPurchase({ events, refundOf }: ShopMessage, call: EdgeCall): Promise<SourceEvent[]> {
  const purchase = await findPurchase(refundOf!, call)
  if (!purchase) return []
  return events.map(({ event }) => ({
    userId: purchase.userId,
    event: {
      ...purchase.event,
      ...event,
      data: { ...(event.data as object), orderId: purchase.event.data?.orderId },
    },
  }))
}

/**
 * Reads the shop's API for a webhook that only names an order. Throws overloaded, so that the shop sends the webhook
 * again.
 */
function shopFetcher({ api }: ShopWebhook, shop: OpenShop, { edge }: EdgeCall): FetchShop {
  return async (path) => {
    const { send } = edge.deps
    if (!api || !send) throw overloaded(60)
    const { url, headers } = api(shop)
    const answer = await send({ method: 'GET', url: `${url}${path}`, headers }, 'fixed')
    if ('failed' in answer) throw overloaded(60)
    if (answer.status === 404 || answer.status === 204) return undefined
    if (answer.status !== 200) throw overloaded(60)
    return parseShopValue(answer.body)
  }
}
