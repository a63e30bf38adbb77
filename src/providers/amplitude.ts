import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier } from '#provider/form/variables.ts'
import { analyticsProperties, jsonCookie, personId, personIdOf, within } from '#provider/vendors/analytics.ts'

const hosts = { US: 'api2.amplitude.com', EU: 'api.eu.amplitude.com' }

/** Characters of any text. */
const maxText = 1_024

export default provider({
  label: 'Amplitude',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://amplitude.com/docs/apis/analytics/http-v2',
  dashboardUrl: 'https://app.amplitude.com',
  links: {
    onboarding: 'https://amplitude.com/docs/apis/authentication',
    introduction: 'https://amplitude.com/docs/apis/analytics',
    faq: 'https://amplitude.com/docs/faq',
  },
  host: 'fixed',

  secrets: {
    AMPLITUDE_API_KEY: identifier('API key', 'Settings, Organization settings, Projects, your project: API Key.', {
      sensitive: true,
      placeholder: '0123456789abcdef0123456789abcdef',
      check: (key: string) => (/^[\w-]{4,100}$/.test(key) ? undefined : 'Write the API key alone.'),
    }),
    AMPLITUDE_REGION: region(hosts, 'EU where your address at Amplitude is app.eu.amplitude.com.'),
  },

  events: standardEventNames,
  // Amplitude reserves these names.
  customEventName: (name) => (/^(\[Amplitude\]|\$)/.test(name) ? undefined : truncate(name, maxText)),
  user: {
    user_id: plain('customerId', personIdOf(maxText)),
    device_id: plain('anonymousId', personIdOf(maxText)),
    ip: plain('ip'),
    user_agent: plain('userAgent'),
    email: plain('email', emailAddress),
  },
  personId: 'customerId',
  requires: ['user_id', 'device_id', 'captured.amp_device_id', 'captured.AMP_*'],
  captures: [{ query: 'amp_device_id', cookie: 'AMP_*' }],
  matchKeys: {
    strong: ['user_id', 'email', 'captured.amp_device_id', 'captured.AMP_*'],
    medium: ['device_id'],
  },
  dedup: 'events[].insert_id, for one device and 7 days',

  request(context, secrets, name) {
    const { event } = context
    const { email, user_agent, device_id, ...user } = context.user
    const { AMPLITUDE_API_KEY: api_key, AMPLITUDE_REGION: chosen } = secrets
    const browser = browserOf(context, api_key)
    if (!user.user_id && !browser.device_id && !device_id) return { skipped: 'identityMissing' }
    const row = {
      ...user,
      ...browser,
      device_id: browser.device_id ?? device_id,
      user_agent: truncate(user_agent, maxText),
      event_type: name,
      time: event.timestamp,
      insert_id: truncate(event.eventId, maxText),
      platform: 'Web',
      ...revenueOf(context),
      event_properties: propertiesOf(context),
      user_properties: unlessEmpty({ email }),
    }
    // Without min_id_length, Amplitude drops ids of fewer than 5 characters.
    return {
      url: `https://${regionHost(hosts, chosen)}/2/httpapi`,
      headers: { accept: '*/*' },
      json: { api_key, events: [row], options: { min_id_length: 1 } },
    }
  },
  // Amplitude accepts 2,000 events, but one invalid event makes it reject all of them. 500 is our own limit.
  batch: { listPath: 'events', maxEvents: 500, maxBytes: 950_000 },

  responseRules: [
    // Amplitude responds with a 400 to an unknown key.
    { status: 400, path: 'error', matches: /^invalid api key/i, verdict: 'keyRejected' },
  ],
})

/** The cookie of the browser SDK: base64 of percent-encoded JSON (according to public implementations, not documented). */
function browserOf({ captured, session }: Pick<RequestContext, 'captured' | 'session'>, apiKey: string) {
  const packed = captured[`AMP_${apiKey.slice(0, 10)}`]
  const cookie = packed && { ...packed, value: Buffer.from(packed.value, 'base64').toString() }
  const { deviceId, sessionId } = jsonCookie(cookie ? { cookie } : {}, 'cookie')
  return {
    device_id: personId(captured.amp_device_id?.value) ?? personId(deviceId),
    // The start of the session in epoch ms, as in Amplitude's SDKs.
    session_id: Number.isSafeInteger(sessionId) ? sessionId : session?.startedAt,
  }
}

/**
 * The revenue of a purchase. `price` and `quantity` are omitted, because Amplitude would use their product as the
 * revenue.
 */
function revenueOf({ event, data, items, value }: RequestContext) {
  if (event.eventName !== 'Purchase' || value === undefined) return {}
  const productId = items.length === 1 ? truncate(items[0]!.id, maxText) : undefined
  return { revenue: value, currency: data.currency, revenueType: 'Purchase', productId }
}

function propertiesOf(context: RequestContext): unknown {
  const { pageUrl: page_url, pageTitle: page_title, referrer } = context.event
  const limits = { text: maxText, list: 1_000, members: 1_000, levels: 20 }
  return within({ ...analyticsProperties(context), page_url, page_title, referrer }, limits)
}
