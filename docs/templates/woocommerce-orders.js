// Orders of a WooCommerce shop become Purchase events. In WooCommerce: Settings, Advanced, Webhooks, topic "Order created", to
// {tag_url}/webhook/{scriptId}. WEBHOOK_SECRETS: {"WOOCOMMERCE_SECRET": "…"}, the secret of that webhook.
// WEBHOOK_TOKEN stays empty: WooCommerce sends a signature in its place.
async function process({ request, requireSecret, handleTag, logger }) {
  const body = await request.text()
  // saving the webhook sends its id, without an order
  if (/^webhook_id=\d+$/.test(body)) return new Response(null, { status: 204 })
  const signature = request.headers.get('x-wc-webhook-signature')
  // an event of the tag, which Aglet hands over itself, is no order
  if (!signature) return new Response(null, { status: 204 })
  if (!(await isWooCommerces(body, signature, requireSecret('WOOCOMMERCE_SECRET'))))
    return new Response('Not signed', { status: 401 })

  const order = JSON.parse(body)
  const { eventId, status } = await handleTag({
    eventName: 'Purchase',
    eventId: `woocommerce-${order.id}`,
    timestamp: Date.parse(`${order.date_created_gmt}Z`),
    userEmail: order.billing.email,
    userPhone: order.billing.phone || undefined,
    userFirstName: order.billing.first_name || undefined,
    userLastName: order.billing.last_name || undefined,
    // no consent stands here: what the buyer agreed to in the shop, found by the e-mail, decides
    data: {
      orderId: order.number,
      value: Number(order.total),
      tax: Number(order.total_tax),
      shipping: Number(order.shipping_total),
      discount: Number(order.discount_total),
      currency: order.currency,
      contents: order.line_items.map((line) => ({
        id: `${line.product_id}`,
        ...(line.variation_id && { variantId: `${line.variation_id}` }),
        sku: line.sku || undefined,
        title: line.name,
        quantity: line.quantity,
        item_price: Number(line.price),
      })),
    },
  })
  logger.log(`${eventId}: ${status}`)
  return Response.json({ eventId, status })
}

async function isWooCommerces(body, signature, secret) {
  const text = new TextEncoder()
  const use = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), use, false, ['verify'])
  const given = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0))
  return crypto.subtle.verify('HMAC', key, given, text.encode(body))
}
