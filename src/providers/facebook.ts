import { appFacts } from '#provider/form/appFacts.ts'
import { appIds } from '#provider/form/appIds.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, totalQuantity } from '#provider/form/items.ts'
import { birthDate, lettersAndDigits, type Normalise, withoutSpaces } from '#provider/form/normalise.ts'
import { asLists, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { RatedEvent } from '#provider/form/rating.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { browserPixel, checkbox, identifier, optional, password, testEventCode } from '#provider/form/variables.ts'
import { flatProperties } from '#provider/vendors/attribution.ts'
import { metaAppData } from '#provider/vendors/metaAppData.ts'
import { metaDigests } from '#provider/vendors/metaDigests.ts'

// Meta retires a version of the Graph API about two years after its release
const graph = 'https://graph.facebook.com/v25.0'

/** `birthDate`. Also reads month/day/year, and day.month.year if the day is above 12. */
const metaBirthDate: Normalise = (raw, person) => {
  const [, one = '', other = '', year] = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/.exec(raw.trim()) ?? []
  const [month, day] = Number(one) > 12 ? [other, one] : [one, other]
  return birthDate(year ? `${year}-${month}-${day}` : raw, person)
}

/** https://developers.facebook.com/documentation/meta-pixel/reference */
const eventNames = {
  ...standardEventNames,
  AddToWishlist: 'AddToWishlist',
  CompleteRegistration: 'CompleteRegistration',
  Contact: 'Contact',
  CustomizeProduct: 'CustomizeProduct',
  Donate: 'Donate',
  FindLocation: 'FindLocation',
  Schedule: 'Schedule',
  StartTrial: 'StartTrial',
  SubmitApplication: 'SubmitApplication',
}

export default provider({
  label: 'Meta',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  limitedUse: true,
  googleAtpId: 89,
  docs: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api',
  dashboardUrl: 'https://business.facebook.com/events_manager2',
  links: { onboarding: 'https://developers.facebook.com/documentation/ads-commerce/conversions-api/get-started' },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    FACEBOOK_PIXEL_ID: identifier('Pixel ID', 'Of the dataset (pixel): Events Manager, Data sources, below its name.', {
      placeholder: '1234567890123456',
      helpLink: 'https://www.facebook.com/business/help/952192354843755',
    }),
    FACEBOOK_ACCESS_TOKEN: password('Access token', 'Events Manager, your dataset, Settings, Conversions API.'),
    FACEBOOK_TEST_EVENT_CODE: testEventCode('Events Manager, your dataset, Test events.'),
    FACEBOOK_LDU: checkbox('Limited data use', 'Applies to every event. Meta determines the person’s state.', optional),
    FACEBOOK_BROWSER_PIXEL: browserPixel,
  },

  // Meta has no event for refunds: a Refund is a custom event
  events: eventNames,
  customEventName: (eventName) => eventName,
  // The same forms as in Meta's own parameter builder: https://github.com/facebook/capi-param-builder
  user: {
    ...metaDigests,
    fn: hashed('firstName', lettersAndDigits),
    ln: hashed('lastName', lettersAndDigits),
    db: hashed('dateOfBirth', metaBirthDate),
    external_id: hashed('anyStableId', withoutSpaces),
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  // Meta rejects an event with only a user agent, gender, birth date, name or region as an identity.
  requires: [
    ...(['em', 'ph', 'external_id', 'client_ip_address'] as const),
    ...(['captured._fbc', 'captured.fbclid', 'captured._fbp', 'app.idfa', 'app.gaid'] as const),
  ],
  captures: [{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }],
  // One event that is too old makes Meta reject the whole batch.
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['em', 'ph', 'captured.fbclid', 'captured._fbc', 'app.idfa', 'app.gaid'],
    medium: ['external_id', 'captured._fbp'],
    weak: ['fn', 'ln', 'ge', 'db', 'ct', 'st', 'zp', 'country', 'client_ip_address', 'client_user_agent'],
  },
  // https://developers.facebook.com/docs/marketing-api/conversions-api/dataset-quality-api
  rating: {
    name: 'event_match_quality',
    of: 10,
    request: ({ FACEBOOK_PIXEL_ID: dataset_id, FACEBOOK_ACCESS_TOKEN }) => ({
      url: `${graph}/dataset_quality`,
      query: { dataset_id, fields: 'web{event_name,event_match_quality{composite_score},event_coverage{percentage}}' },
      headers: { authorization: `Bearer ${FACEBOOK_ACCESS_TOKEN}` },
    }),
    read: readQuality,
  },
  dedup: 'data[].event_id, together with event_name, for 48 h',

  request(context, secrets, name) {
    const { event, data, items: all, user, value, captured, consent } = context
    const app = appFacts(event)
    const { idfa, gaid } = appIds(context, ['idfa', 'gaid'])
    const { client_ip_address, client_user_agent, ...digests } = user
    const items = itemsWithId(all)
    const row = {
      event_name: name,
      event_time: epochSeconds(event.timestamp),
      event_id: event.eventId,
      // A website event requires the page and the browser.
      action_source: app ? 'app' : event.pageUrl && client_user_agent ? 'website' : 'system_generated',
      event_source_url: event.pageUrl,
      referrer_url: event.referrer,
      user_data: {
        ...asLists(digests),
        client_ip_address,
        client_user_agent,
        fbc: fbcOf(captured),
        fbp: captured._fbp?.value,
        madid: (idfa ?? gaid)?.toLowerCase(),
      },
      app_data: app && metaAppData(app),
      custom_data: unlessEmpty({
        ...flatProperties(data),
        value,
        currency: data.currency,
        content_ids: mapItems(items, ({ id }) => id),
        contents: mapItems(items, ({ id, quantity = 1, item_price }) => ({ id, quantity, item_price })),
        content_type: items.length > 0 ? 'product' : undefined,
        num_items: totalQuantity(items),
        order_id: data.orderId,
        search_string: data.search,
      }),
      ...((secrets.FACEBOOK_LDU === '1' || isOptedOut(consent)) && limitedDataUse),
    }
    const { FACEBOOK_TEST_EVENT_CODE: test_event_code, FACEBOOK_ACCESS_TOKEN: access_token } = secrets
    return {
      url: `${graph}/${encodeURIComponent(secrets.FACEBOOK_PIXEL_ID)}/events`,
      json: { data: [row], test_event_code, access_token },
    }
  },
  batch: { listPath: 'data', maxEvents: 1_000 },
  toTestMode: (request, secrets) => (secrets.FACEBOOK_TEST_EVENT_CODE ? request : undefined),

  // https://developers.facebook.com/docs/graph-api/guides/error-handling
  errorMessage: 'error.error_user_msg',
  responseRules: [
    { path: 'error.code', equalsAny: [190], verdict: 'keyRejected' },
    { path: 'error.code', equalsAny: [4, 17, 32, 613, 80004], verdict: 'throttled' },
    { path: 'error.is_transient', equalsAny: [true], verdict: 'retry' },
    { path: 'error.code', equalsAny: [1, 2], verdict: 'retry' },
  ],
})

/**
 * The value of the pixel's cookie, or the same format made from the click id, whichever click is newer. Both are
 * case-sensitive.
 */
function fbcOf({ _fbc, fbclid }: CapturedValues): string | undefined {
  const [, madeAt, cookieClick] = /^fb\.\d\.(\d{13})\.([^.]+)/.exec(_fbc?.value ?? '') ?? []
  const isNewer = fbclid && (!_fbc || (fbclid.value !== cookieClick && fbclid.at > Number(madeAt ?? _fbc.at)))
  return isNewer ? `fb.1.${fbclid.at}.${fbclid.value}` : _fbc?.value
}

type Quality = {
  event_name?: unknown
  event_match_quality?: { composite_score?: number } | null
  event_coverage?: { percentage?: number } | null
}

/** Meta returns a row for each event name, and no total. */
function readQuality(body: unknown): RatedEvent[] | undefined {
  const rows = (body as { web?: unknown } | null | undefined)?.web
  if (!Array.isArray(rows)) return undefined
  return rows.flatMap((row: Quality | null): RatedEvent[] => {
    const { event_name, event_match_quality, event_coverage } = row ?? {}
    const { composite_score: score } = event_match_quality ?? {}
    const { percentage } = event_coverage ?? {}
    if (typeof event_name !== 'string') return []
    return [
      {
        eventName: event_name,
        ...(typeof score === 'number' && { score }),
        ...(typeof percentage === 'number' && { coverage: percentage / 100 }),
      },
    ]
  })
}

/** Limited Data Use. With country 0 and state 0, Meta determines the person's location. */
const limitedDataUse = {
  data_processing_options: ['LDU'],
  data_processing_options_country: 0,
  data_processing_options_state: 0,
}
