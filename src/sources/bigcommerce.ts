import { createHash } from 'node:crypto'
import { fault } from '#contract/fault.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { OpenShop } from '#tag/shop.ts'
import { readBigOrder } from './bigcommerceOrder.ts'
import { headerOf, isHmacOf, parseShopJson, webhookKeys } from './shopSource.ts'
import type { ShopRequest, Source } from './source.ts'
import { fieldsOf, textOf, timeOf } from './values.ts'

const webhookPath = '/bigcommerce/webhook'
/** Standard Webhooks: an older message may be a replay. */
const maxSkewMs = 5 * 60_000
/** An order that the API still does not have after this time was deleted. */
const maxUnknownMs = 10 * 60_000

/** `whsec_` and base64 as in Standard Webhooks; any other text is the key itself. */
const keyBytes = (key: string | undefined) =>
  key?.startsWith('whsec_') ? Buffer.from(key.slice('whsec_'.length), 'base64') : key

/** `webhook-signature: v1,<base64> v1,<base64>` over `id.timestamp.body`. */
function hasStandardSignature({ headers, body, now }: ShopRequest, shop: OpenShop): boolean {
  const [id, at, signatures] = ['id', 'timestamp', 'signature'].map((name) => headerOf(headers, `webhook-${name}`))
  if (id === undefined || at === undefined || signatures === undefined) return false
  if (!(Math.abs(Number(at) * 1000 - now) <= maxSkewMs)) return false
  const signed = Buffer.concat([Buffer.from(`${id}.${at}.`), body])
  return signatures
    .split(' ', 10)
    .some((each) => each.startsWith('v1,') && isHmacOf(signed, each.slice(3), webhookKeys(shop).map(keyBytes)))
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** A header that the shop's owner set when creating the webhook, for stores without signatures. */
const hasOwnHeader = ({ headers }: ShopRequest, shop: OpenShop): boolean => {
  const given = headerOf(headers, 'x-aglet-key')
  return (
    given !== undefined && webhookKeys(shop).some((key) => key !== undefined && equalBytes(digest(given), digest(key)))
  )
}

/** `stores/abc123` is the store `abc123`. */
const storeOf = (producer: unknown) => /^stores\/([a-z0-9]{1,60})$/.exec(textOf(producer) ?? '')?.[1]

/**
 * BigCommerce: webhooks that name an order. The order is then read from the store's API.
 * https://developer.bigcommerce.com/docs/integrations/webhooks
 */
export const bigcommerce: Source = {
  name: 'bigcommerce',
  methodsOf: (path) => (path === webhookPath ? ['POST'] : undefined),
  keyOf: () => undefined,
  read: () => [],
  answer: (results) => ({ status: 200, body: JSON.stringify({ result: results }) }),
  webhook: {
    path: webhookPath,
    isSigned: (request, shop) => hasStandardSignature(request, shop) || hasOwnHeader(request, shop),
    api: ({ shop, secrets }) => ({
      url: `https://api.bigcommerce.com/stores/${shop}`,
      headers: { 'x-auth-token': secrets.API_TOKEN ?? '', accept: 'application/json' },
    }),
    async read({ body, now, brand }, shop, fetchShop) {
      const message = parseShopJson(body)
      const scope = textOf(message.scope) ?? ''
      const data = fieldsOf(message.data)
      const id = textOf(data.orderId) ?? textOf(data.id)
      if (storeOf(message.producer) !== shop.shop) return { events: [], ignored: 'a webhook of another store' }
      if (!scope.startsWith('store/order/') || id === undefined || !/^\d{1,20}$/.test(id))
        return { events: [], ignored: scope === '' ? 'no scope' : `the scope ${scope.slice(0, 60)}` }
      const order = await fetchShop(`/v2/orders/${id}`)
      if (order === undefined) {
        // the API may have the order slightly later than the webhook says: BigCommerce then sends the webhook again
        const at = timeOf(message.created_at)
        if (at !== undefined && now - at < maxUnknownMs) throw fault('overloaded', { headers: { 'retry-after': '60' } })
        return { events: [], ignored: 'an order that the API of the store did not return' }
      }
      const [products, coupons, refunds] = await Promise.all([
        fetchShop(`/v2/orders/${id}/products`),
        fetchShop(`/v2/orders/${id}/coupons`),
        scope === 'store/order/refund/created' ? fetchShop(`/v3/orders/${id}/payment_actions/refunds`) : undefined,
      ])
      return readBigOrder({ order: fieldsOf(order), products, coupons, refunds }, { shop, brand, now })
    },
  },
}
