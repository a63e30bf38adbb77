import type { EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { consentWord } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { canonicalMailbox, nonEmailId } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { browserPixel, eventMapping, idCheck, optional, password, text, tokenCheck } from '#provider/form/variables.ts'

export default provider({
  label: 'Microsoft Ads (Bing)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  gvlId: 1126,
  docs: 'https://learn.microsoft.com/en-us/advertising/guides/uet-conversion-api-integration',
  dashboardUrl: 'https://ads.microsoft.com/',
  links: {
    onboarding: 'https://learn.microsoft.com/en-us/advertising/msa-help/hlp_ba_conc_aboutcapi',
    introduction: 'https://learn.microsoft.com/en-us/advertising/guides/universal-event-tracking',
  },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    BING_TAG_ID: text('UET tag ID', 'Microsoft Advertising, Tools, UET tag: the number in the column Tag ID.', {
      placeholder: '97012345',
      check: idCheck,
    }),
    BING_BROWSER_PIXEL: browserPixel,
    BING_MAPPED_EVENTS: eventMapping(
      'the event action of the conversion goal, such as purchase, add_to_cart, submit_lead_form',
      'purchase',
    ),
    BING_API_TOKEN: password(
      'Conversions API token',
      'Tools, UET tag, your tag, Use Conversions API. Microsoft has to let the account in first. Without it only the browser pixel runs.',
      { ...optional, check: tokenCheck },
    ),
  },

  events: { PageView: 'pageLoad' },
  eventMapping: 'BING_MAPPED_EVENTS',
  user: {
    em: hashed('email', canonicalMailbox),
    ph: hashed('phone'),
    externalId: plain('anyStableId', nonEmailId),
    clientIpAddress: plain('ip'),
    clientUserAgent: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: [
    'captured.msclkid',
    'captured._uetmsclkid',
    'captured._uetvid',
    'em',
    'ph',
    'externalId',
    'clientIpAddress',
    'clientUserAgent',
  ],
  captures: [{ query: 'msclkid', cookie: '_uetmsclkid' }, { cookie: '_uetvid' }],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['captured.msclkid', 'captured._uetmsclkid', 'em', 'ph'],
    medium: ['externalId', 'captured._uetvid'],
    weak: ['clientIpAddress', 'clientUserAgent'],
  },
  dedup: 'data[].eventId, the same as in the UET tag; transactionId for purchase goals',

  request({ event, data, items, user, value, captured, consent }, secrets, name) {
    if (!secrets.BING_API_TOKEN) return { skipped: 'filtered' }
    const isPageLoad = event.eventName === 'PageView'
    const amount = unlessNegative(value)
    const row = {
      eventType: isPageLoad ? 'pageLoad' : 'custom',
      eventName: isPageLoad ? undefined : name,
      eventId: event.eventId,
      eventTime: epochSeconds(event.timestamp),
      eventSourceUrl: event.pageUrl,
      pageTitle: event.pageTitle,
      referrerUrl: event.referrer,
      adStorageConsent: consentWord(consent.advertising, { granted: 'G', denied: 'D' }),
      userData: { ...user, anonymousId: captured._uetvid?.value, msclkid: clickIdOf(captured) },
      customData: unlessEmpty({
        value: amount,
        currency: data.currency,
        transactionId: data.orderId,
        searchTerm: data.search,
        pageType: pageTypes[event.eventName],
        ...itemFields(items, amount),
      }),
    }
    return {
      url: `https://capi.uet.microsoft.com/v1/${encodeURIComponent(secrets.BING_TAG_ID)}/events`,
      headers: { authorization: bearerAuth(secrets.BING_API_TOKEN) },
      json: { data: [row], dataProvider: 'Aglet', continueOnValidationError: true },
    }
  },
  batch: { listPath: 'data', maxEvents: 1_000, partialFailures: invalidEvents },

  responseRules: [{ status: 200, path: 'eventsReceived', equalsAny: [0], verdict: 'refused' }],
})

/** The vendor's page types, for the events that have one. */
const pageTypes: Readonly<Record<string, string>> = {
  ViewContent: 'product',
  AddToCart: 'cart',
  RemoveFromCart: 'cart',
  InitiateCheckout: 'cart',
  Purchase: 'purchase',
  Search: 'searchresults',
}

/** The click id of the landing page, otherwise of the cookie, where `_uet` precedes it. */
const clickIdOf = ({ msclkid, _uetmsclkid }: CapturedValues) =>
  msclkid?.value ?? _uetmsclkid?.value.replace(/^_uet/, '')

/** The members of `customData` that describe the items. */
function itemFields(all: readonly EventItem[], value: number | undefined) {
  const items = itemsWithId(all)
  return {
    itemIds: mapItems(items, ({ id }) => id),
    items: mapItems(items, (item) => ({
      id: item.id,
      name: item.title,
      price: unlessNegative(item.item_price),
      quantity: wholeQuantity(item),
    })),
    ecommTotalValue: items.length > 0 ? value : undefined,
  }
}

type Detail = { index?: number; errorMessage?: string }

/** The events that a 200 lists as invalid. With `continueOnValidationError` the others are accepted. */
function invalidEvents(answer: unknown): PartialFailure[] {
  const { error } = (answer ?? {}) as { error?: { details?: Detail[] } }
  const details = Array.isArray(error?.details) ? error.details : []
  return details.flatMap(({ index, errorMessage: message }) =>
    Number.isInteger(index) ? [{ row: index!, verdict: 'refused' as const, message }] : [],
  )
}
