import { codeUrl, codeValues, codeVariable } from '#provider/form/customerCode.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { text } from '#provider/form/variables.ts'

const example = `async function process({ request, secrets, handleTag, logger }) {
  const event = await request.json()
  logger.log(event.eventName)
  return new Response(null, { status: 204 })
}`

export default provider({
  label: 'Webhook',
  stage: 'beta',
  consent: ['functional', 'necessary', 'analytics', 'advertising'],
  docs: 'https://developer.mozilla.org/docs/Web/API/Response',
  host: 'customer',
  hidePurchaseValueMode: true,

  secrets: {
    WEBHOOK_CODE: codeVariable(
      'JavaScript that defines `async function process(params)` and returns a Response. It answers POST {tag_url}/webhook/{scriptId}, and gets the events of the tag. Everybody who may read the script can read the code: put secrets into WEBHOOK_SECRETS.',
      example,
    ),
    WEBHOOK_TOKEN: text(
      'Access token',
      'If set, the code runs only for requests with Authorization: Bearer <token>. Choose a long random text, and give it to the callers.',
      {
        optional: true,
        sensitive: true,
        placeholder: 'openssl rand -hex 32',
        check: (token: string) =>
          /^[\x21-\x7e]+$/.test(token) ? undefined : 'Write letters, digits and signs of ASCII, without spaces.',
      },
    ),
    WEBHOOK_SECRETS: codeValues(
      'Named values that the code gets as params.secrets: a JSON object, for example with an access token of your CRM.',
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own code receives unhashed personal values.
  user: plainFields,
  personId: 'customerId',
  dedup: 'the eventId in the body',
  code: {
    source: 'WEBHOOK_CODE',
    values: 'WEBHOOK_SECRETS',
    token: 'WEBHOOK_TOKEN',
    functionName: 'process',
    argument: 'request',
  },
  // A status from the customer's code never means that credentials are wrong.
  responseRules: [
    { status: 401, verdict: 'refused' },
    { status: 403, verdict: 'refused' },
  ],

  request: ({ payload }, { WEBHOOK_TOKEN: token }) => ({
    url: codeUrl,
    headers: { authorization: token && `Bearer ${token}` },
    json: payload,
  }),
})
