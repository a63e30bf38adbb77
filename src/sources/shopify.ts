import { parseJson } from '#event/parseBody.ts'
import { readShopifyOrder, refundOf, shopifyId } from './shopifyOrder.ts'
import { readPixelEvents } from './shopifyPixel.ts'
import { headerOf, isHmacOf, parseShopJson, purchaseIdOf, webhookKeys } from './shopSource.ts'
import type { ShopMessage, Source } from './source.ts'

const webhookPath = '/shopify/webhook'
const pixelPath = '/shopify/pixel'

/** Newer webhooks have the same headers without `X-`. */
const header = (name: string) => [`x-shopify-${name}`, `shopify-${name}`] as const

/**
 * Shopify: the webhooks of orders, and what our custom pixel (connectors/shopify/pixel.js) sends.
 * https://shopify.dev/docs/apps/build/webhooks/subscribe/https
 */
export const shopify: Source = {
  name: 'shopify',
  methodsOf: (path) => (path === webhookPath || path === pixelPath ? ['POST'] : undefined),
  keyOf: () => undefined,
  // a custom pixel runs in a frame with an opaque origin
  takesOpaqueOrigin: (path) => path === pixelPath,
  read: (input) => readPixelEvents(parseJson(input.body), input),
  answer: (results) => ({ status: 200, body: JSON.stringify({ result: results }) }),
  webhook: {
    path: webhookPath,
    isSigned: ({ headers, body }, shop) =>
      headerOf(headers, ...header('shop-domain'))?.toLowerCase() === shop.shop &&
      isHmacOf(body, headerOf(headers, ...header('hmac-sha256')), webhookKeys(shop)),
    read({ headers, body, now, brand }, shop): ShopMessage {
      const topic = headerOf(headers, ...header('topic')) ?? ''
      const message = parseShopJson(body)
      if (topic === 'orders/delete') return { events: [], ignored: 'the topic orders/delete' }
      if (topic.startsWith('orders/')) return readShopifyOrder(message, { shop, brand, now, topic })
      const orderId = shopifyId(message.order_id)
      if (topic !== 'refunds/create' || orderId === undefined || !shop.sendRefunds)
        return { events: [], ignored: topic === '' ? 'no topic' : `the topic ${topic.slice(0, 60)}` }
      // the message does not contain the order: the person, the consent and the order number come from its purchase
      const unknown = { event: { data: {}, source: { name: 'shopify', type: 'webhook' } } }
      const refund = refundOf(message, unknown, { shop, now })
      if (!refund) return { events: [], ignored: 'an empty refund' }
      return { events: [refund], refundOf: purchaseIdOf(orderId) }
    },
  },
}
