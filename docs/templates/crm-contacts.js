// Creates a contact in a CRM, here HubSpot, for each Lead. WEBHOOK_SECRETS: {"PRIVATE_APP_ACCESS_TOKEN": "…"}, and "CRM_URL"
// if the CRM has another address.
async function process({ request, secrets, requireSecret, saveUserCustomData, writeError }) {
  const event = await request.json()
  if (event.eventName !== 'Lead' || !event.userEmail) return new Response(null, { status: 204 })

  const answer = await fetch(secrets.CRM_URL ?? 'https://api.hubapi.com/crm/v3/objects/contacts', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${requireSecret('PRIVATE_APP_ACCESS_TOKEN')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ properties: { email: event.userEmail, firstname: event.userFirstName } }),
  })
  // 409: the contact exists already
  if (!answer.ok && answer.status !== 409) {
    writeError('crm', `answered ${answer.status}`)
    // Aglet retries after a 502; a contact that the CRM refuses is not retried
    return new Response(null, { status: answer.status >= 500 || answer.status === 429 ? 502 : 400 })
  }
  const userId = request.headers.get('serviceuserid')
  if (answer.ok && userId) await saveUserCustomData(userId, 'crmContactId', (await answer.json()).id)
  return new Response(null, { status: 204 })
}
