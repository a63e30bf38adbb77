import { exampleLike, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { defined, type ExpectedCall, segmentExamples } from './segmentSpec.ts'

const secrets = { WRITE_KEY: 'write-key-1' }
const example = exampleLike({ secrets })

const sends =
  (host = 'api.segment.io') =>
  (calls: readonly ExpectedCall[]) =>
    calls.map(({ path, body }) => ({
      url: `https://${host}/v1/${path}`,
      headers: { 'content-type': 'application/json', authorization: 'Basic d3JpdGUta2V5LTE6' },
      body: defined(body),
    }))

/** A lead of a visitor with these ids. */
function lead(ids: object): ExpectedCall[] {
  const body = { event: 'Lead', messageId: 'evt-1', timestamp: '2023-11-14T22:13:20.000Z', properties: {}, context: {} }
  return [{ path: 'track', body: { ...body, ...ids } }]
}

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  {
    url: 'https://api.segment.io/v1/track',
    headers: { 'content-type': 'application/json', authorization: 'Basic d3JpdGUta2V5LTE6' },
    body: {
      anonymousId: 'usr_1',
      timestamp: '2023-11-14T22:13:20.000Z',
      event: 'Lead',
      messageId: 'evt-1',
      properties: {},
      ...person,
    },
  },
]

export const examples: readonly ProviderExample[] = [
  ...segmentExamples(secrets, sends()),
  example('a visitor with the cookies of the browser SDK, in the EU', {
    event: { eventName: 'Lead' },
    captured: { ajs_anonymous_id: '%2218f-a%22', ajs_user_id: '"usr_2"' },
    secrets: { SEGMENT_REGION: 'EU' },
    sends: sends('events.eu1.segmentapis.com')(lead({ userId: 'usr_2', anonymousId: '18f-a' })),
  }),
  example('a visitor with the user id of a link', {
    event: { eventName: 'Lead' },
    captured: { ajs_uid: 'usr_3' },
    sends: sends()(lead({ userId: 'usr_3' })),
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ context: {} }),
      email: sentForPerson({ context: { traits: { email: 'ada.lovelace@gmail.com' } } }),
      customer: sentForPerson({ userId: 'customer-1', context: { traits: { email: 'ada.lovelace@gmail.com' } } }),
    },
  ),
]
