import { codeValues, codeVariable } from '#provider/code.ts'
import { asKnown } from '#provider/identity.ts'
import { codeUrl, ownNames, provider } from '#provider/provider.ts'

const example = `async tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('https://crm.example.com/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: \`Bearer \${secrets.API_KEY}\` },
    body: JSON.stringify({ name: event.eventName, email: user.email }),
  })
  logger.log(answer.status)
}`
const secrets = { PLAYGROUND_CODE: example, PLAYGROUND_SECRETS: '{"API_KEY": "k-1"}' }
const json = { 'content-type': 'application/json' }
const known = { userId: 'usr_1', email: 'ada@example.com' }

/** What the code is handed of an event, by its name. */
const handed = (eventName: string, data: object) => ({
  event: { eventId: 'evt-1', timestamp: 1_700_000_000_000, eventName, data },
})

export default provider({
  label: 'Playground',
  stage: 'beta',
  consent: ['functional', 'necessary', 'analytics', 'advertising'],
  docs: 'https://developer.mozilla.org/docs/Web/API/Fetch_API',
  host: 'customer',
  hidePurchaseValueMode: true,

  secrets: {
    PLAYGROUND_CODE: codeVariable(
      'JavaScript that defines `async tag({ event, user, secrets, fetch, logger })`: it is run for each event and sends it where you like. What it returns and logs stands in the journal; when it throws, the event is tried again. Who may read the script reads the code: what is secret belongs in PLAYGROUND_SECRETS.',
      example,
    ),
    PLAYGROUND_SECRETS: codeValues(
      'Named values that the code finds in secrets, as a JSON object; for example the key of the API that it calls.',
    ),
  },

  events: ownNames,
  custom: (eventName) => eventName,
  // it is the customer's own code: their users go there as they are known
  user: asKnown,
  dedup: 'event.eventId, as far as the code hands it on',
  code: { source: 'PLAYGROUND_CODE', values: 'PLAYGROUND_SECRETS', name: 'tag', takes: 'body' },

  request: ({ payload, user }) => ({ url: codeUrl, json: { event: payload, user } }),

  examples: [...Object.keys(ownNames), 'Quiz finished'].map((eventName) => ({
    title: `${eventName} as it came, with what is known of its person`,
    event: { eventName, data: { value: 12.5 } },
    user: known,
    secrets,
    sends: [{ url: codeUrl, headers: json, body: { ...handed(eventName, { value: 12.5 }), user: known } }],
  })),
})
