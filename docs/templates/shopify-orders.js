// Orders of a Shopify shop become Purchase events. In Shopify: Settings, Notifications, Webhooks, "Order creation", JSON, to
// {tag_url}/webhook/{scriptId}. WEBHOOK_SECRETS: {"SHOPIFY_SECRET": "…"}, the key shown below the list of webhooks.
// Leave WEBHOOK_TOKEN empty: Shopify sends a signature instead of a token.
async function process({ request, requireSecret, handleTag, logger }) {
  const signature = request.headers.get('x-shopify-hmac-sha256')
  // Aglet also runs the code for events of the tag; those are no orders
  if (!signature) return new Response(null, { status: 204 })
  const body = await request.arrayBuffer()
  if (!(await isShopifys(body, signature, requireSecret('SHOPIFY_SECRET')))) return new Response('Not signed', { status: 401 })

  const order = JSON.parse(new TextDecoder().decode(body), idAsText)
  const { eventId, status } = await handleTag({
    eventName: 'Purchase',
    eventId: `shopify-${order.id}`,
    timestamp: Date.parse(order.created_at),
    userEmail: order.email,
    userPhone: order.phone ?? undefined,
    // without a consent here, the buyer's stored consent decides, which the e-mail finds
    data: {
      orderId: order.name,
      value: Number(order.total_price),
      tax: Number(order.total_tax),
      currency: order.currency,
      contents: order.line_items.map((line) => ({
        id: `${line.product_id}`,
        variantId: `${line.variant_id}`,
        title: line.title,
        quantity: line.quantity,
        item_price: Number(line.price),
      })),
    },
  })
  logger.log(`${eventId}: ${status}`)
  return Response.json({ eventId, status })
}

// an id is a text: a number beyond 2^53 would lose digits
function idAsText(key, value, { source }) {
  return typeof value === 'number' && (key === 'id' || key.endsWith('_id')) ? source : value
}

async function isShopifys(body, signature, secret) {
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const given = Uint8Array.from(atob(signature), (char) => char.charCodeAt(0))
  return crypto.subtle.verify('HMAC', key, given, body)
}
