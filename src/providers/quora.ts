import { bearerAuth } from '#provider/form/authorization.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { countryCode, emailAddress, isoBirthDate, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { epochMicros } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, password, tokenCheck } from '#provider/form/variables.ts'

export default provider({
  label: 'Quora',
  // The vendor's page requires a login: the age limit and hashing could not be verified.
  stage: 'draft',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.quora.com/ads/conversion_api_doc',
  dashboardUrl: 'https://www.quora.com/ads/',
  host: 'fixed',

  secrets: {
    QUORA_ACCOUNT_ID: identifier('Account ID', 'Ads Manager: the number in the address after /ads/account/.', {
      placeholder: '1234567890',
      check: (id: string) => (/^\d{1,16}$/.test(id) ? undefined : 'Write the number alone: at most 16 digits.'),
    }),
    QUORA_API_TOKEN: password('Conversion API token', 'Ads Manager, Pixels & Events, Conversion API, Generate token.', {
      check: tokenCheck,
    }),
  },

  // PageView is not sent: each page would count as a Generic conversion.
  events: {
    ViewContent: 'Generic',
    AddToCart: 'AddToCart',
    InitiateCheckout: 'InitiateCheckout',
    AddPaymentInfo: 'AddPaymentInfo',
    Purchase: 'Purchase',
    Subscribe: 'CompleteRegistration',
    Search: 'Search',
    Lead: 'GenerateLead',
    AddToWishlist: 'AddToWishlist',
    CompleteRegistration: 'CompleteRegistration',
  },
  // Quora has no refunds, and the value of a Generic event would count as revenue.
  customEventName: (eventName) => (eventName === 'Refund' ? undefined : 'Generic'),
  // Quora accepts no hashes.
  user: {
    email: plain('email', emailAddress),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    phone_number: plain('phone', phoneE164),
    date_of_birth: plain('dateOfBirth', isoBirthDate),
    ip: plain('ip'),
    country: plain('country', countryCode),
    region: plain('state'),
    city: plain('city'),
    postal_code: plain('zip'),
    user_agent: plain('userAgent'),
  },
  personId: 'none',
  requires: ['captured.qclid', 'captured.quora_qclid', 'email'],
  captures: [{ query: 'qclid', cookie: 'quora_qclid' }],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['captured.qclid', 'captured.quora_qclid', 'email', 'phone_number'],
    weak: ['first_name', 'last_name', 'date_of_birth', 'country', 'region', 'city', 'postal_code', 'ip', 'user_agent'],
  },
  dedup: 'conversion.event_id, the same as in the pixel',

  request({ event, user, value, captured }, secrets, event_name) {
    const { first_name, last_name, user_agent, ...person } = user
    const name = [first_name, last_name].filter(Boolean).join(' ') || undefined
    return {
      url: 'https://api.quora.com/ads/v0/conversion',
      headers: { authorization: bearerAuth(secrets.QUORA_API_TOKEN) },
      json: {
        account_id: Number(secrets.QUORA_ACCOUNT_ID),
        user: unlessEmpty({ ...person, name }),
        device: unlessEmpty({ user_agent, referer: event.referrer }),
        conversion: {
          event_name,
          timestamp: epochMicros(event.timestamp),
          click_id: (captured.qclid ?? captured.quora_qclid)?.value,
          // In the account's currency: Quora has no field for the currency.
          value: unlessNegative(value),
          event_id: event.eventId,
        },
      },
    }
  },
  batch: { maxEvents: 1_000, join: joinConversions, partialFailures: failedEvents },

  // a 200 lists each event with its status
  responseRules: [
    { status: 423, verdict: 'retry' },
    { status: 200, path: 'events_errored', between: [1, 1_000], verdict: 'refused' },
    { status: 200, path: 'events.0.status', equalsAny: ['OK'], verdict: 'delivered' },
    { status: 200, path: 'events.0.status', verdict: 'refused' },
  ],
})

/** Several conversions of one account are the `data` of a request to another path. */
function joinConversions(requests: readonly RequestSpec[]): RequestSpec {
  const bodies = requests.map(({ json }) => json as { account_id: number })
  const data = bodies.map(({ account_id: _, ...conversion }) => conversion)
  return {
    ...requests[0]!,
    url: 'https://api.quora.com/ads/v0/conversions',
    json: { account_id: bodies[0]!.account_id, data },
  }
}

type Row = { index?: number; status?: string; error_code?: string; error_message?: string }

/** The events of a 200 whose status is not OK. */
function failedEvents(answer: unknown): PartialFailure[] {
  const { events } = (answer ?? {}) as { events?: Row[] }
  if (!Array.isArray(events)) return []
  return events.flatMap(({ index, status, error_code, error_message }, at) =>
    status === 'OK' ? [] : [{ row: index ?? at, verdict: 'refused' as const, message: error_message ?? error_code }],
  )
}
