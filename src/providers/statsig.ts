import { countryCode, emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { choice, password } from '#provider/form/variables.ts'
import { textProperties } from '#provider/vendors/analytics.ts'

const stableId = 'STATSIG_LOCAL_STORAGE_STABLE_ID'

type Body = { events: { user: object }[] }

const inDevelopment = (request: RequestSpec): RequestSpec => {
  const { events } = request.json as Body
  const toTest = (user: object) => ({ ...user, statsigEnvironment: { tier: 'development' } })
  return { ...request, json: { events: events.map((event) => ({ ...event, user: toTest(event.user) })) } }
}

export default provider({
  label: 'Statsig',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://docs.statsig.com/http-api',
  dashboardUrl: 'https://console.statsig.com',
  links: {
    onboarding: 'https://docs.statsig.com/sdk-keys/api-keys',
    introduction: 'https://docs.statsig.com/http-api/overview',
    faq: 'https://docs.statsig.com/faq',
  },
  host: 'fixed',

  secrets: {
    STATSIG_SERVER_SECRET: password('Server secret key', 'Settings, Keys & Environments: Server Secret Key.', {
      placeholder: 'secret-…',
      check: (key: string) =>
        key.startsWith('console-') ? 'Write the server secret key: secret-…, and no console key.' : undefined,
    }),
    STATSIG_ENVIRONMENT: choice('Environment', 'Settings, Keys & Environments: the tier of the events.', [
      'production',
      'staging',
      'development',
    ]),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: {
    userID: plain('customerId'),
    stableID: plain('anonymousId'),
    email: plain('email', emailAddress),
    ip: plain('ip'),
    userAgent: plain('userAgent'),
    country: plain('country', countryCode),
  },
  personId: 'customerId',
  requires: ['userID', 'stableID', `captured.${stableId}`],
  // The browser SDK keeps the id in local storage. A site must copy it to a cookie or send it with the event.
  captures: [{ cookie: stableId }],
  matchKeys: {
    strong: ['userID', 'email', 'captured.STATSIG_LOCAL_STORAGE_STABLE_ID'],
    medium: ['stableID'],
  },
  dedup: 'none is documented; metadata.event_id holds the eventId',

  request(context, { STATSIG_SERVER_SECRET: key, STATSIG_ENVIRONMENT: tier }, name) {
    const { event, captured, value, now } = context
    const { stableID, ...user } = context.user
    const customIDs = unlessEmpty({ stableID: captured[stableId]?.value ?? stableID })
    return {
      url: 'https://events.statsigapi.net/v1/log_event',
      headers: { 'statsig-api-key': key, 'statsig-client-time': String(now) },
      json: {
        events: [
          {
            eventName: name,
            value,
            time: event.timestamp,
            user: { ...user, customIDs, statsigEnvironment: { tier } },
            metadata: { ...textProperties(context), event_id: event.eventId, page_url: event.pageUrl },
          },
        ],
      },
    }
  },
  // 500 is our own limit: Statsig states none
  batch: { listPath: 'events', maxEvents: 500 },
  toTestMode: inDevelopment,

  responseRules: [{ status: 403, verdict: 'keyRejected' }],
})
