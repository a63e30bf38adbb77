import { headerOf, isHmacOf, parseShopJson, webhookKeys } from './shopSource.ts'
import type { Source } from './source.ts'
import { textOf } from './values.ts'
import { readWooOrder } from './woocommerceOrder.ts'

const webhookPath = '/woocommerce/webhook'

/** The host of the shop that sent a webhook, from the address of its home page. */
function shopHost(source: string | undefined): string | undefined {
  return source !== undefined && URL.canParse(source) ? new URL(source).host.toLowerCase() : undefined
}

/**
 * WooCommerce: its webhooks, and our plug-in (connectors/woocommerce), which sends the same.
 * https://developer.woocommerce.com/docs/best-practices/urls-and-routing/webhooks/
 */
export const woocommerce: Source = {
  name: 'woocommerce',
  methodsOf: (path) => (path === webhookPath ? ['POST'] : undefined),
  keyOf: () => undefined,
  read: () => [],
  answer: (results) => ({ status: 200, body: JSON.stringify({ result: results }) }),
  webhook: {
    path: webhookPath,
    // saving a webhook in WooCommerce sends its id as a form, without a signature
    isPing: ({ headers, body }) =>
      headers['x-wc-webhook-signature'] === undefined && /^webhook_id=\d{1,20}$/.test(body.toString('latin1', 0, 40)),
    isSigned: ({ headers, body }, shop) =>
      shopHost(headerOf(headers, 'x-wc-webhook-source')) === shop.shop &&
      isHmacOf(body, headerOf(headers, 'x-wc-webhook-signature'), webhookKeys(shop)),
    read({ headers, body, now, brand }, shop) {
      const topic = textOf(headers['x-wc-webhook-topic']) ?? ''
      if (!['order.created', 'order.updated', 'order.restored'].includes(topic))
        return { events: [], ignored: topic === '' ? 'no topic' : `the topic ${topic.slice(0, 60)}` }
      return readWooOrder(parseShopJson(body), { shop, brand, now })
    },
  },
}
