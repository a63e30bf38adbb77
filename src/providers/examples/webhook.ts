import { codeUrl } from '#provider/form/customerCode.ts'
import { ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const source = 'async function process() {}'
const secrets = { WEBHOOK_CODE: source, WEBHOOK_TOKEN: 'hook-token', WEBHOOK_SECRETS: '{"KEY": "k-1"}' }
const bare = { WEBHOOK_CODE: source }
const at = 1_700_000_000_000
const json = { 'content-type': 'application/json' }

/** The requests, the same for each of the three people. */
const sentForPerson = [
  {
    url: 'code:run',
    headers: { 'content-type': 'application/json' },
    body: { eventId: 'evt-1', timestamp: 1700000000000, eventName: 'Lead' },
  },
]

export const examples: readonly ProviderExample[] = [
  ...Object.keys(standardEventNames).map((eventName) => ({
    title: `${eventName} unchanged`,
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
    title: 'a custom event with the access token',
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
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets: { WEBHOOK_CODE: 'async function process() {}' } },
    { visitor: sentForPerson, email: sentForPerson, customer: sentForPerson },
  ),
]
