import { wholePieces } from '#provider/form/items.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { plain } from '#provider/form/userRule.ts'
import { checkbox, identifier, optional, password } from '#provider/form/variables.ts'
import { clickWindowMs, lastClick } from '#provider/vendors/affiliate.ts'

type Headers = Readonly<Record<string, string>>

/**
 * Cancels items of an order: https://www.refersion.dev/reference/cancel_conversion. Finds the order by its id and needs
 * no click.
 */
function cancellation({ data, items }: RequestContext, headers: Headers): RequestSpec | Skip {
  const rows = wholePieces(items).flatMap(({ id, sku = id, item_price: price, quantity }) =>
    sku ? [{ sku, price, quantity }] : [],
  )
  if (data.orderId === undefined || rows.length === 0) return { skipped: 'payloadRefused' }
  return {
    url: 'https://api.refersion.com/v2/conversion/cancel',
    headers,
    json: { order_id: data.orderId, items: rows },
  }
}

const startsWith = (prefix: string) => (key: string) =>
  key.startsWith(prefix) ? undefined : `Write the key that begins with ${prefix}.`

export default provider({
  label: 'Refersion',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://refersion.dev/order-tracking/webhook',
  dashboardUrl: 'https://www.refersion.com/base/settings/integrations/api',
  links: { onboarding: 'https://www.refersion.dev/reference/webhook-tracking' },
  host: 'fixed',

  secrets: {
    REFERSION_PUBLIC_KEY: identifier('Public key', 'Account, Settings, Integrations, Refersion API.', {
      placeholder: 'pub_…',
      check: startsWith('pub_'),
    }),
    REFERSION_SECRET_KEY: password('Secret key', 'Account, Settings, Integrations, Refersion API.', {
      check: startsWith('sec_'),
    }),
    REFERSION_SEND_EMAIL: checkbox(
      'Send name and e-mail',
      'The affiliate sees the name and the e-mail of the customer.',
      optional,
    ),
  },

  events: { Purchase: 'order', Refund: 'cancellation' },
  user: {
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    email: plain('email', emailAddress),
    ip_address: plain('ip'),
  },
  personId: 'none',
  captures: [{ query: 'rfsn', cookie: 'refersion_rfsn' }],
  clickWindowMs,
  matchKeys: {
    strong: ['email', 'captured.rfsn', 'captured.refersion_rfsn'],
    weak: ['ip_address'],
  },
  dedup: 'order_id of orders; refunds have none',

  request(context, secrets) {
    const { event, data, items, orderId, coupon, user } = context
    const headers = {
      'refersion-public-key': secrets.REFERSION_PUBLIC_KEY,
      'refersion-secret-key': secrets.REFERSION_SECRET_KEY,
    }
    if (event.eventName === 'Refund') return cancellation(context, headers)
    const click = lastClick(context, ['rfsn', 'refersion_rfsn'])?.value.split('.', 1)[0]
    // The API credits an affiliate by click or by discount code.
    if (!click && !coupon) return { skipped: 'identityMissing' }
    const { ip_address, ...named } = user
    return {
      url: 'https://inbound-webhooks.refersion.com/tracker/orders/paid',
      headers,
      json: {
        cart_id: orderId.slice(0, 255),
        auto_credit_affiliate_id: click,
        order_id: orderId,
        currency_code: data.currency,
        shipping: data.shipping,
        tax: data.tax,
        discount: data.discount,
        discount_code: coupon,
        customer: unlessEmpty({ ...(secrets.REFERSION_SEND_EMAIL === '1' && named), ip_address }),
        items: wholePieces(items).flatMap(({ id, sku, title: name, item_price: price, quantity }) =>
          (sku ?? id) && price !== undefined ? [{ sku: sku ?? id, name, price, quantity }] : [],
        ),
      },
    }
  },
})
