// New leads of Meta's lead ads become Lead events. In Meta's app dashboard: Webhooks, Page, field leadgen, to
// {tag_url}/webhook/{scriptId}. WEBHOOK_SECRETS: {"META_VERIFY_TOKEN": "a text of yours", "META_APP_SECRET": "…"}.
// WEBHOOK_TOKEN stays empty: Meta first asks by GET with the verify token, and signs what it sends with the app secret.
async function process({ request, requireSecret, handleTag, logger }) {
  const query = new URL(request.url).searchParams
  if (request.method === 'GET') {
    const token = requireSecret('META_VERIFY_TOKEN')
    const isMetas = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === token
    return isMetas ? new Response(query.get('hub.challenge')) : new Response('Not verified', { status: 403 })
  }
  const signature = request.headers.get('x-hub-signature-256')
  // an event of the tag, which Aglet hands over itself, is no lead
  if (!signature) return new Response(null, { status: 204 })
  const body = await request.text()
  if (!(await isSigned(body, signature, requireSecret('META_APP_SECRET')))) return new Response('Not signed', { status: 401 })

  // an id is a text: a number beyond 2^53 would lose digits
  const idAsText = (key, value, { source }) => (typeof value === 'number' && key.endsWith('id') ? source : value)
  const changes = JSON.parse(body, idAsText).entry.flatMap((entry) => entry.changes)
  const leads = changes.filter(({ field }) => field === 'leadgen')
  for (const { value } of leads) {
    const { eventId, status } = await handleTag({
      eventName: 'Lead',
      eventId: `meta-${value.leadgen_id}`,
      timestamp: value.created_time * 1000,
      data: { leadId: value.leadgen_id, formId: value.form_id, adId: value.ad_id },
    })
    logger.log(`${eventId}: ${status}`)
  }
  return Response.json({ leads: leads.length })
}

async function isSigned(body, signature, secret) {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1]
  if (!hex) return false
  const text = new TextEncoder()
  const use = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), use, false, ['verify'])
  const given = Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16))
  return crypto.subtle.verify('HMAC', key, given, text.encode(body))
}
