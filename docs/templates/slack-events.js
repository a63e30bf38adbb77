// Events of a Slack app become events of the tag. In Slack: Event Subscriptions, Request URL {tag_url}/webhook/{scriptId}.
// WEBHOOK_SECRETS: {"SLACK_SIGNING_SECRET": "…"}, of Basic Information.
// WEBHOOK_TOKEN stays empty: Slack sends a signature in its place.
async function process({ request, requireSecret, handleTag, logger }) {
  const signature = request.headers.get('x-slack-signature')
  // an event of the tag, which Aglet hands over itself, is not Slack's
  if (!signature) return new Response(null, { status: 204 })
  const at = request.headers.get('x-slack-request-timestamp')
  const body = await request.text()
  if (!(await isSlacks(body, at, signature, requireSecret('SLACK_SIGNING_SECRET'))))
    return new Response('Not signed', { status: 401 })

  const message = JSON.parse(body)
  if (message.type === 'url_verification') return new Response(message.challenge)
  const { eventId, status } = await handleTag({
    eventName: `slack_${message.event.type}`,
    eventId: `slack-${message.event_id}`,
    timestamp: message.event_time * 1000,
    data: message.event,
  })
  logger.log(`${eventId}: ${status}`)
  return Response.json({ eventId, status })
}

const toleranceSeconds = 300

async function isSlacks(body, at, signature, secret) {
  const hex = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1]
  if (!hex || !at || Math.abs(Date.now() / 1000 - Number(at)) > toleranceSeconds) return false
  const text = new TextEncoder()
  const use = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', text.encode(secret), use, false, ['verify'])
  const given = Uint8Array.from(hex.match(/../g), (byte) => Number.parseInt(byte, 16))
  return crypto.subtle.verify('HMAC', key, given, text.encode(`v0:${at}:${body}`))
}
