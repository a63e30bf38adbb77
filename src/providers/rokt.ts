import { basicAuth } from '#provider/form/authorization.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { birthDate, genderLetter, nonEmailId, trimmed } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, password, tokenCheck } from '#provider/form/variables.ts'

/** Each pod has its own host: https://docs.mparticle.com/developers/apis/http/ */
const hosts = {
  default: 'inbound.mparticle.com',
  us1: 's2s.us1.mparticle.com',
  us2: 's2s.us2.mparticle.com',
  eu1: 's2s.eu1.mparticle.com',
  au1: 's2s.au1.mparticle.com',
} as const

/** Several objects are sent as a list to another path. */
const joinObjects = (requests: readonly RequestSpec[]): RequestSpec => ({
  ...requests[0]!,
  url: requests[0]!.url.replace(/events$/, 'bulkevents'),
  json: requests.map(({ json }) => json),
})

/** The same request for the development environment. */
const inDevelopment = (request: RequestSpec): RequestSpec => ({
  ...request,
  json: { ...(request.json as object), environment: 'development' },
})

export default provider({
  label: 'Rokt',
  // The format of a conversion is known from a single implementation.
  stage: 'draft',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://docs.mparticle.com/developers/apis/http/',
  dashboardUrl: 'https://my.rokt.com/',
  links: { introduction: 'https://docs.rokt.com/' },
  host: 'fixed',

  secrets: {
    ROKT_API_KEY: identifier('API key', 'The key for the Conversions API: your Rokt account manager gives it.', {
      sensitive: true,
      check: tokenCheck,
    }),
    ROKT_API_SECRET: password('API secret', 'Comes together with the API key of the Conversions API.', {
      check: tokenCheck,
    }),
    ROKT_REGION: region(hosts, 'Keep the default, unless Rokt names the pod of your account: us1, us2, eu1 or au1.'),
  },

  events: { Purchase: 'Purchase', Subscribe: 'Subscribe', Lead: 'Lead' },
  // Hashes are made from the trimmed value, as in the vendor's sender for Segment.
  user: {
    other: hashed('email'),
    customerid: plain('customerId', nonEmailId),
    firstnamesha256: hashed('firstName', trimmed),
    lastnamesha256: hashed('lastName', trimmed),
    mobilesha256: hashed('phone'),
    billingzipsha256: hashed('zip', trimmed),
    dob: plain('dateOfBirth', birthDate),
    gender: plain('gender', genderLetter),
    ip: plain('ip'),
    http_header_user_agent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: ['other', 'customerid', 'captured.rtid', 'captured.RoktRecogniser'],
  captures: [{ query: 'rtid', cookie: 'RoktRecogniser' }],
  matchKeys: {
    strong: ['other', 'mobilesha256', 'captured.rtid', 'captured.RoktRecogniser', 'customerid'],
    weak: ['firstnamesha256', 'lastnamesha256', 'billingzipsha256', 'dob', 'gender', 'ip', 'http_header_user_agent'],
  },
  dedup: 'events[].data.source_message_id; custom_attributes.confirmationref',

  request({ event, data, orderId, user, value, captured }, secrets, conversiontype) {
    const { other, customerid, ip, http_header_user_agent, ...attributes } = user
    const clickId = (captured.rtid ?? captured.RoktRecogniser)?.value
    return {
      url: `https://${regionHost(hosts, secrets.ROKT_REGION)}/s2s/v2/events`,
      headers: { authorization: basicAuth(secrets.ROKT_API_KEY, secrets.ROKT_API_SECRET) },
      json: {
        environment: 'production',
        ip,
        device_info: unlessEmpty({ http_header_user_agent }),
        user_identities: unlessEmpty({ other, customerid, other2: clickId }),
        user_attributes: Object.keys(attributes).length > 0 ? attributes : undefined,
        integration_attributes: clickId ? { 1277: { passbackconversiontrackingid: clickId } } : undefined,
        events: [
          {
            event_type: 'custom_event',
            data: {
              event_name: 'conversion',
              custom_event_type: 'transaction',
              source_message_id: event.eventId,
              timestamp_unixtime_ms: event.timestamp,
              custom_attributes: {
                conversiontype,
                confirmationref: orderId,
                amount: unlessNegative(value),
                currency: data.currency,
              },
            },
          },
        ],
      },
    }
  },
  batch: { maxEvents: 100, maxBytes: 256_000, join: joinObjects },
  toTestMode: inDevelopment,

  // 401: a request without credentials. 403: wrong credentials.
  responseRules: [{ status: 403, verdict: 'keyRejected' }],
})
