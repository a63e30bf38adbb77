/** The code that a new piece of customer code starts with, by its kind. */
export const starterCode = {
  playground: `async tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('https://crm.example.com/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: event.eventName, email: user.email }),
  })
  logger.log(answer.status)
}
`,
  webhook: `async function process({ request, secrets, handleTag, logger }) {
  const event = await request.json()
  logger.log(event.eventName)
  return new Response(null, { status: 204 })
}
`,
}
