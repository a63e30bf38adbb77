import { codeUrl } from '#provider/form/customerCode.ts'
import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'

const source = 'async tag() {}'
const secrets = { PLAYGROUND_CODE: source, PLAYGROUND_SECRETS: '{"API_KEY": "k-1"}' }
const example = exampleLike({ secrets })
const json = { 'content-type': 'application/json' }
const known = { userId: 'usr_1', email: 'ada@example.com' }

/** The `event` that the code receives. */
const eventOf = (eventName: string, data: object) => ({
  event: { eventId: 'evt-1', timestamp: 1_700_000_000_000, eventName, data },
})

const sent = (eventName: string, user: object) => [
  { url: codeUrl, headers: json, body: { ...eventOf(eventName, { value: 12.5 }), user } },
]
const visitor = { userId: 'usr_1' }
const mailed = { ...visitor, email: 'ada.lovelace@gmail.com' }

export const examples: readonly ProviderExample[] = [
  ...[...Object.keys(standardEventNames), 'Quiz finished'].map((eventName) =>
    example(`${eventName} unchanged, with the known values of the person`, {
      event: { eventName, data: { value: 12.5 } },
      user: known,
      sends: sent(eventName, known),
    }),
  ),
  ...ofEachPerson(
    { event: { eventName: 'Lead', data: { value: 12.5 } }, secrets },
    {
      visitor: sent('Lead', visitor),
      email: sent('Lead', mailed),
      customer: sent('Lead', { ...mailed, customerId: 'customer-1' }),
    },
  ),
]
