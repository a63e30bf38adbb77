import { codeUrl, codeValues, codeVariable } from '#provider/form/customerCode.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plainFields } from '#provider/form/userRule.ts'

const example = `async tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('https://crm.example.com/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: \`Bearer \${secrets.API_KEY}\` },
    body: JSON.stringify({ name: event.eventName, email: user.email }),
  })
  logger.log(answer.status)
}`

export default provider({
  label: 'Playground',
  stage: 'beta',
  consent: ['functional', 'necessary', 'analytics', 'advertising'],
  docs: 'https://developer.mozilla.org/docs/Web/API/Fetch_API',
  host: 'customer',
  hidePurchaseValueMode: true,

  secrets: {
    PLAYGROUND_CODE: codeVariable(
      'JavaScript that defines `async tag({ event, user, secrets, fetch, logger })`: it runs for each event and sends it where you like. Its return value and logs are stored in the journal; when it throws, the event is retried. Everybody who may read the script can read the code: put secrets into PLAYGROUND_SECRETS.',
      example,
    ),
    PLAYGROUND_SECRETS: codeValues(
      'Named values that the code gets as secrets: a JSON object, for example with the key of the API that it calls.',
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own code receives unhashed personal values.
  user: plainFields,
  personId: 'customerId',
  dedup: 'event.eventId, where the code sends it',
  code: { source: 'PLAYGROUND_CODE', values: 'PLAYGROUND_SECRETS', functionName: 'tag', argument: 'body' },

  request: ({ payload, user }) => ({ url: codeUrl, json: { event: payload, user } }),
})
