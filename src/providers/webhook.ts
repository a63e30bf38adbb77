import { codeValues, codeVariable } from '#provider/code.ts'
import { asKnown } from '#provider/identity.ts'
import { codeUrl, ownNames, provider } from '#provider/provider.ts'
import { text } from '#provider/variables.ts'

const example = `async function process({ request, secrets, handleTag, logger }) {
  const event = await request.json()
  logger.log(event.eventName)
  return new Response(null, { status: 204 })
}`
const secrets = { WEBHOOK_CODE: example, WEBHOOK_TOKEN: 'hook-token', WEBHOOK_SECRETS: '{"KEY": "k-1"}' }
const bare = { WEBHOOK_CODE: example }
const at = 1_700_000_000_000
const json = { 'content-type': 'application/json' }

export default provider({
  label: 'Webhook',
  stage: 'beta',
  consent: ['functional', 'necessary', 'analytics', 'advertising'],
  docs: 'https://developer.mozilla.org/docs/Web/API/Response',
  host: 'customer',
  hidePurchaseValueMode: true,

  secrets: {
    WEBHOOK_CODE: codeVariable(
      'JavaScript that defines `async function process(params)` and returns a Response. It answers POST {tag_url}/webhook/{scriptId}, and is handed the events of the tag. Who may read the script reads the code: what is secret belongs in WEBHOOK_SECRETS.',
      example,
    ),
    WEBHOOK_TOKEN: text(
      'Access token',
      'With it the code runs only for requests that carry it: Authorization: Bearer <token>. Make up a long one, and give it to whoever calls.',
      {
        optional: true,
        sensitive: true,
        placeholder: 'openssl rand -hex 32',
        check: (token: string) =>
          /^[\x21-\x7e]+$/.test(token) ? undefined : 'Write letters, digits and signs of ASCII, without spaces.',
      },
    ),
    WEBHOOK_SECRETS: codeValues(
      'Named values that the code finds in params.secrets, as a JSON object; for example an access token of your CRM.',
    ),
  },

  events: ownNames,
  custom: (eventName) => eventName,
  // it is the customer's own code: their users go there as they are known
  user: asKnown,
  dedup: 'the eventId in the body',
  code: { source: 'WEBHOOK_CODE', values: 'WEBHOOK_SECRETS', name: 'process', takes: 'request' },
  // the code speaks of what it was handed: no key of ours is at fault
  answers: [
    { status: 401, is: 'refused' },
    { status: 403, is: 'refused' },
  ],

  request: ({ payload }, { WEBHOOK_TOKEN: token }) => ({
    url: codeUrl,
    headers: { authorization: token && `Bearer ${token}` },
    json: payload,
  }),

  examples: [
    ...Object.keys(ownNames).map((eventName) => ({
      title: `${eventName} as it came`,
      event: { eventName, data: { value: '12.50', anything: [1] } },
      secrets: bare,
      sends: [
        {
          url: codeUrl,
          headers: json,
          body: { eventId: 'evt-1', timestamp: at, eventName, data: { value: '12.50', anything: [1] } },
        },
      ],
    })),
    {
      title: 'a custom event with the token that is asked for',
      event: { eventName: 'Quiz finished', userEmail: 'ada@example.com' },
      user: { email: 'ada@example.com' },
      secrets,
      sends: [
        {
          url: codeUrl,
          headers: { ...json, authorization: 'Bearer hook-token' },
          body: { eventId: 'evt-1', timestamp: at, eventName: 'Quiz finished', userEmail: 'ada@example.com' },
        },
      ],
    },
  ],
})
