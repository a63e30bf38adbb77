import { exampleLike, like, ofEachPerson, type ProviderExample } from '#provider/form/example.ts'
import { defined, type ExpectedCall, segmentExamples } from './segmentSpec.ts'

const secrets = {
  RUDDERSTACK_DATA_PLANE_URL: 'https://shop.dataplane.rudderstack.com',
  RUDDERSTACK_WRITE_KEY: 'write-key-1',
}
const example = exampleLike({ secrets })
const library = { name: 'http' }

type Body = { context?: object; batch?: Body[] }

/** A call that names the library, as RudderStack requires. */
function named({ batch, ...body }: Body): object {
  return batch ? { batch: batch.map(named) } : { ...body, context: { ...body.context, library } }
}

function sends(calls: readonly ExpectedCall[]) {
  return calls.map(({ path, body }) => ({
    url: `https://shop.dataplane.rudderstack.com/v1/${path}`,
    headers: { 'content-type': 'application/json', authorization: 'Basic d3JpdGUta2V5LTE6' },
    body: defined(named(body)),
  }))
}

/** A lead of a visitor with this id. */
function lead(anonymousId: string): ExpectedCall[] {
  const body = { event: 'Lead', messageId: 'evt-1', timestamp: '2023-11-14T22:13:20.000Z', properties: {}, anonymousId }
  return [{ path: 'track', body }]
}

const cookie = `RS_ENC_v3_${Buffer.from('"18f-a"').toString('base64')}`

/** The requests for one of the three people. `person`: the fields that differ. */
const sentForPerson = (person: object) => [
  like(sends(lead('18f-a'))[0]!, { body: { anonymousId: 'usr_1', ...person } }),
]

export const examples: readonly ProviderExample[] = [
  ...segmentExamples(secrets, sends),
  example('a visitor with the cookie of the browser SDK, and an address that is a host name', {
    event: { eventName: 'Lead' },
    captured: { rl_anonymous_id: encodeURIComponent(cookie) },
    secrets: { RUDDERSTACK_DATA_PLANE_URL: 'shop.dataplane.rudderstack.com/' },
    sends: sends(lead('18f-a')),
  }),
  example('a visitor with a cookie that is encrypted', {
    event: { eventName: 'Lead' },
    captured: { rl_anonymous_id: 'RudderEncrypt%3AU2FsdGVk' },
    sends: { skipped: 'identityMissing' },
  }),
  ...ofEachPerson(
    { event: { eventName: 'Lead' }, secrets },
    {
      visitor: sentForPerson({ context: { library: { name: 'http' } } }),
      email: sentForPerson({ context: { library: { name: 'http' }, traits: { email: 'ada.lovelace@gmail.com' } } }),
      customer: sentForPerson({
        userId: 'customer-1',
        context: { library: { name: 'http' }, traits: { email: 'ada.lovelace@gmail.com' } },
      }),
    },
  ),
]
