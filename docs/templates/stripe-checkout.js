// Finished checkouts of Stripe become Purchase events. In Stripe: Developers, Webhooks, Add destination, event
// checkout.session.completed, to {tag_url}/webhook/{scriptId}. WEBHOOK_SECRETS: {"STRIPE_SECRET": "whsec_…"}, its signing secret.
// WEBHOOK_TOKEN stays empty: Stripe sends a signature in its place.
async function process({ request, requireSecret, handleTag, logger }) {
  const header = request.headers.get('stripe-signature')
  // an event of the tag, which Aglet hands over itself, is no checkout
  if (!header) return new Response(null, { status: 204 })
  const body = await request.text()
  if (!(await isStripes(body, header, requireSecret('STRIPE_SECRET')))) return new Response('Not signed', { status: 401 })

  const { type, created, data } = JSON.parse(body)
  const session = data.object
  if (type !== 'checkout.session.completed' || session.payment_status === 'unpaid')
    return new Response(null, { status: 204 })
  const amount = (minor) => (minor == null ? undefined : minor / unitsOf(session.currency))
  const { eventId, status } = await handleTag(
    {
      eventName: 'Purchase',
      eventId: `stripe-${session.id}`,
      timestamp: created * 1000,
      userEmail: session.customer_details?.email ?? undefined,
      userPhone: session.customer_details?.phone ?? undefined,
      // no consent stands here: what the buyer agreed to in the shop, found by the e-mail, decides
      data: {
        orderId: session.client_reference_id ?? session.id,
        value: amount(session.amount_total),
        tax: amount(session.total_details?.amount_tax),
        shipping: amount(session.total_details?.amount_shipping),
        discount: amount(session.total_details?.amount_discount),
        currency: session.currency.toUpperCase(),
      },
    },
    // the shop may put the id of the visitor into the session's metadata
    { userId: session.metadata?.userId },
  )
  logger.log(`${eventId}: ${status}`)
  return Response.json({ eventId, status })
}

// https://docs.stripe.com/currencies#zero-decimal
const withoutMinor = 'bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' ')
const unitsOf = (currency) => (withoutMinor.includes(currency) ? 1 : 100)

const toleranceSeconds = 300

async function isStripes(body, header, secret) {
  const parts = header.split(',').map((part) => part.split('=', 2))
  const at = parts.find(([name]) => name === 't')?.[1]
  if (!at || Math.abs(Date.now() / 1000 - Number(at)) > toleranceSeconds) return false
  const text = new TextEncoder()
  const use = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), use, false, ['verify'])
  for (const [name, hex] of parts) {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(hex)) continue
    const given = Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16))
    if (await crypto.subtle.verify('HMAC', key, given, text.encode(`${at}.${body}`))) return true
  }
  return false
}
