// Sends each request unchanged to another address, and returns its response. WEBHOOK_SECRETS: {"RELAY_URL": "https://…"}
async process({ request, requireSecret }) {
  const answer = await fetch(requireSecret('RELAY_URL'), {
    method: 'POST',
    headers: { 'content-type': request.headers.get('content-type') ?? 'application/octet-stream' },
    body: await request.text(),
  })
  return new Response(await answer.text(), {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? 'text/plain' },
  })
}
