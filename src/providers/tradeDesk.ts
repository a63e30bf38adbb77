import { type ConsentSignals, isOptedOut } from '#provider/form/consentSignals.ts'
import { mapItems, wholeQuantity } from '#provider/form/items.ts'
import { type Normalise, stateCode } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional } from '#provider/form/variables.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'

const idCheck = (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the id alone: letters and digits.')
const ownFields = Array.from({ length: 10 }, (_, n) => `td${n + 1}`)

/** The states of the sections of a GPP string, from section id 8. */
const states = 'CA VA CO UT CT FL MT OR TX DE IA NE NH NJ TN MN MD IN KY RI'.split(' ')

/** A state with its own privacy law, as `US-CA`. */
const usRegion: Normalise = (raw, person) => {
  const code = stateCode(raw, person)?.toUpperCase()
  return code && states.includes(code) ? `US-${code}` : undefined
}

// The vendor's pages need a login: the names sitevisit, search, lead and subscribe, the field merchant_id and the privacy type GPP are in
// no public implementation. There are no fields for e-mail addresses.
export default provider({
  label: 'The Trade Desk',
  stage: 'draft',
  consent: ['advertising'],
  limitedUse: true,
  gvlId: 21,
  docs: 'https://partner.thetradedesk.com/v3/portal/data/doc/DataConversionEventsApi',
  dashboardUrl: 'https://desk.thetradedesk.com/',
  links: {
    onboarding: 'https://docs.tealium.com/server-side-connectors/the-trade-desk-real-time-conversion-events-connector/',
  },
  host: 'fixed',

  secrets: {
    TRADE_DESK_ADVERTISER_ID: identifier('Advertiser ID', 'Of the advertiser: Preferences, Advertiser, at the top.', {
      placeholder: 'abc1def',
      check: idCheck,
    }),
    TRADE_DESK_TRACKER_ID: identifier(
      'Event tracker ID',
      'Advertiser Data & Identity, Event trackers: the tracking tag id. Needed unless the universal pixel id is set.',
      { ...optional, check: idCheck },
    ),
    TRADE_DESK_PIXEL_ID: identifier(
      'Universal pixel ID',
      'Advertiser Data & Identity, Universal pixels: conversions are then told apart by the address of the page.',
      { ...optional, check: idCheck },
    ),
    TRADE_DESK_MERCHANT_ID: identifier(
      'Merchant ID',
      'Only for merchants of retail media: it is sent in place of the advertiser id.',
      { ...optional, check: idCheck },
    ),
    TRADE_DESK_MAPPED_EVENTS: {
      ...eventMapping('the name of the event', 'purchase', optional),
      description:
        'Pairs of an event name and the event name of the tracker, where it is another one than usual. An event with an empty name is not sent.',
    },
  },
  credentialSets: [['TRADE_DESK_TRACKER_ID'], ['TRADE_DESK_PIXEL_ID']],

  events: {
    PageView: 'sitevisit',
    ViewContent: 'viewitem',
    AddToCart: 'addtocart',
    InitiateCheckout: 'startcheckout',
    Purchase: 'purchase',
    Subscribe: 'subscribe',
    Search: 'search',
    Lead: 'lead',
    AddToWishlist: 'wishlistitem',
    ViewCart: 'viewcart',
  },
  customEventName: customExceptRefund(),
  eventMapping: 'TRADE_DESK_MAPPED_EVENTS',
  user: { client_ip: plain('ip'), region: plain('state', usRegion) },
  personId: 'none',
  requires: ['captured.TDID', 'captured.ttdimp', 'client_ip'],
  captures: [{ query: 'ttdimp' }, { cookie: 'TDID' }],
  matchKeys: {
    strong: ['captured.ttdimp', 'captured.TDID'],
    medium: ['client_ip'],
  },
  dedup: 'none: order_id stands in the reports',

  request({ event, data, items, user, value, captured, consent }, secrets, event_name) {
    if (!event_name) return { skipped: 'filtered' }
    const merchant_id = secrets.TRADE_DESK_MERCHANT_ID
    const adid = captured.TDID?.value
    const { region, ...ids } = user
    const law = regionOf(consent) ?? region
    // Without the state whose law applies, The Trade Desk accepts no limited data use.
    if (consent.advertising === 'denied' && !law) return { skipped: 'consent' }
    const row = {
      ...(merchant_id ? { merchant_id } : { adv: secrets.TRADE_DESK_ADVERTISER_ID }),
      tracker_id: secrets.TRADE_DESK_TRACKER_ID,
      upixel_id: secrets.TRADE_DESK_PIXEL_ID,
      event_name,
      value,
      currency: data.currency,
      order_id: data.orderId,
      imp: captured.ttdimp?.value ?? event.eventId,
      ...ids,
      referrer_url: event.pageUrl ?? event.referrer,
      adid,
      adid_type: adid && 'TDID',
      privacy_settings: privacyOf(consent),
      data_processing_option: law && isOptedOut(consent) ? { policies: ['LDU'], region: law } : undefined,
      items: mapItems(items, (item) => ({
        item_code: item.id,
        name: item.title,
        qty: wholeQuantity(item),
        price: item.item_price,
        cat: item.category,
      })),
      ...Object.fromEntries(ownFields.map((name) => [name, typeof data[name] === 'string' ? data[name] : undefined])),
    }
    return { url: 'https://insight.adsrvr.org/track/realtimeconversion', json: { data: [row] } }
  },
})

/** The state of the GPP section that applies. */
function regionOf({ strings: { gppSections = [] } = {} }: Pick<ConsentSignals, 'strings'>): string | undefined {
  const state = gppSections.map((id) => states[id - 8]).find((each) => each !== undefined)
  return state && `US-${state}`
}

/** The strings of the banner. A string of another law may accompany the GDPR string. */
function privacyOf({ strings: { tcf, gdprApplies, gpp } = {} }: Pick<ConsentSignals, 'strings'>) {
  const gdpr = tcf && { privacy_type: 'GDPR', is_applicable: gdprApplies === false ? 0 : 1, consent_string: tcf }
  const us = gpp && { privacy_type: 'GPP', is_applicable: 1, consent_string: gpp }
  return gdpr || us ? [gdpr, us].filter(Boolean) : undefined
}
