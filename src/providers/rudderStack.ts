import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { baseUrl, password, text, urlCheck } from '#provider/form/variables.ts'
import { withScheme } from '#provider/vendors/analytics.ts'
import {
  countSegmentCalls,
  segmentBatch,
  segmentEvents,
  segmentRequests,
  unquoted,
} from '#provider/vendors/segmentSpec.ts'

const encoded = 'RS_ENC_v3_'

/** The id in the cookie of the browser SDK: base64 of JSON text (according to public implementations, not documented). */
function cookieId(cookie: string | undefined): string | undefined {
  const value = unquoted(cookie)
  if (value?.startsWith(encoded)) return unquoted(Buffer.from(value.slice(encoded.length), 'base64').toString())
  // An older SDK encrypts it.
  return value?.startsWith('RudderEncrypt:') ? undefined : value
}

export default provider({
  label: 'RudderStack',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://www.rudderstack.com/docs/api/http-api/',
  dashboardUrl: 'https://app.rudderstack.com',
  links: {
    onboarding: 'https://www.rudderstack.com/docs/get-started/quickstart/',
    introduction: 'https://www.rudderstack.com/docs/event-spec/ecommerce-events-spec/',
    faq: 'https://www.rudderstack.com/docs/resources/faq/',
  },
  host: 'tenant',

  secrets: {
    RUDDERSTACK_DATA_PLANE_URL: text('Data plane', 'Connections: the Data Plane address at the top of the page.', {
      placeholder: 'https://name.dataplane.rudderstack.com',
      check: (address: string) => urlCheck(withScheme(address)),
    }),
    RUDDERSTACK_WRITE_KEY: password('Write key', 'Sources, your source of the type HTTP, Setup: Write key.', {
      placeholder: '2aBcDeFgHiJkLmNoPqRsTuVwXyZ',
      check: noSpaces,
    }),
  },

  events: segmentEvents,
  customEventName: (eventName) => eventName,
  user: {
    userId: plain('customerId'),
    anonymousId: plain('anonymousId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    ip: plain('ip'),
    userAgent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: ['userId', 'anonymousId', 'captured.ajs_aid', 'captured.rl_anonymous_id'],
  captures: [{ query: 'ajs_aid', cookie: 'rl_anonymous_id' }],
  matchKeys: {
    strong: ['userId', 'email', 'phone'],
    medium: ['captured.ajs_aid', 'captured.rl_anonymous_id', 'anonymousId'],
  },
  dedup: 'messageId, at the gateway of the data plane for about an hour',

  request(context, { RUDDERSTACK_DATA_PLANE_URL: address, RUDDERSTACK_WRITE_KEY: key }, name) {
    const { userId, anonymousId, ...fields } = context.user
    const { ajs_aid, rl_anonymous_id } = context.captured
    const ids = { userId, anonymousId: unquoted(ajs_aid?.value) ?? cookieId(rl_anonymous_id?.value) ?? anonymousId }
    if (!ids.userId && !ids.anonymousId) return { skipped: 'identityMissing' }
    const api = `${baseUrl(withScheme(address))}/v1`
    const library = { name: 'http' }
    return segmentRequests(api, { authorization: basicAuth(key) }, context, name, ids, { ...fields, library })
  },
  // 100 is our own limit: RudderStack limits bytes only
  batch: { maxEvents: 100, maxBytes: 3_900_000, join: segmentBatch, countEvents: countSegmentCalls },
})
