// A system that sends JSON by HTTP: {"name": "Purchase", "id": "7", "time": "2026-11-20T12:00:00Z", "email": "…", "user": "…",
// "data": {…}}, one object or a list. Set WEBHOOK_TOKEN: the system sends it as Authorization: Bearer, as name or password of
// HTTP Basic, or as the header X-Webhook-Token. The last part of the address names the events of a body without `name`.
async function process({ request, requireSecret, handleTag }) {
  // without a token anybody could send events
  requireSecret('WEBHOOK_TOKEN')
  const messages = [JSON.parse(await request.text(), idAsText)].flat()
  const named = new URL(request.url).pathname.split('/').at(-1)
  const results = []
  for (const { name, id, time, email, user, data, eventName } of messages) {
    // an event of the tag, which Aglet hands over itself, is not sent again
    if (eventName !== undefined) continue
    const event = {
      eventName: name ?? named,
      eventId: `${named}-${id ?? crypto.randomUUID()}`,
      timestamp: time === undefined ? Date.now() : new Date(time).getTime(),
      userEmail: email,
      data,
    }
    results.push(await handleTag(event, { userId: user }))
  }
  return Response.json({ results: results.map(({ eventId, status }) => ({ eventId, status })) })
}

// an id is a text: a number beyond 2^53 would lose digits
function idAsText(key, value, { source }) {
  return typeof value === 'number' && /^id$|_id$|Id$/.test(key) ? source : value
}
