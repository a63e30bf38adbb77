import { bearerAuth } from '#provider/form/authorization.ts'
import type { ConsentSignal } from '#provider/form/consentSignals.ts'
import { itemsWithId, mapItems } from '#provider/form/items.ts'
import { countryCode, googleMailbox } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional } from '#provider/form/variables.ts'
import { adClick, adClickCaptures, adClickFields } from '#provider/vendors/googleCookies.ts'
import { googleSignIn } from '#provider/vendors/googleSignIn.ts'

// The Data Manager API: since June 2026, the Google Ads API accepts no uploads from new developers.
const api = 'https://datamanager.googleapis.com/v1/events:ingest'
const signIn = googleSignIn('GOOGLE_ADS_CLICKS', 'https://www.googleapis.com/auth/datamanager')

const account = (id: string) => ({ accountType: 'GOOGLE_ADS', accountId: id.replace(/\D/g, '') })

/** The EEA, the United Kingdom and Switzerland: Google accepts no IP addresses of visitors there. */
const withoutAddress = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IS IE IT LV LI LT LU MT NL NO PL PT RO SK SI ES SE GB CH'.split(' '),
)
const mayHaveAddress = (country: string | undefined) => country !== undefined && !withoutAddress.has(country)

/**
 * Anything but a denial counts as granted: the channel receives events only with consent to advertising, or if none is
 * needed.
 */
const stated = (signal: ConsentSignal) => (signal === 'denied' ? 'CONSENT_DENIED' : 'CONSENT_GRANTED')

export default provider({
  label: 'Google Ads',
  stage: 'beta',
  // The request states consent to advertising, so no other category is allowed.
  consent: ['advertising'],
  gvlId: 755,
  docs: 'https://developers.google.com/data-manager/api/devguides/events/google-ads/offline/send-events',
  dashboardUrl: 'https://ads.google.com/aw/conversions',
  links: { onboarding: 'https://developers.google.com/data-manager/api/devguides/quickstart/set-up-access' },
  hasActivation: true,
  host: 'fixed',

  secrets: {
    GOOGLE_ADS_CLICKS_CUSTOMER_ID: identifier(
      'Customer ID',
      'Of the account that owns the conversion actions: top right.',
      { placeholder: '123-456-7890' },
    ),
    GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID: identifier('Manager account ID', 'Where access is by one.', optional),
    ...signIn.secrets,
    GOOGLE_ADS_CLICKS_MAPPED_EVENTS: eventMapping('the number after ctId= in the address of the conversion', '7001'),
  },
  credentialSets: signIn.credentialSets,

  events: {},
  eventMapping: 'GOOGLE_ADS_CLICKS_MAPPED_EVENTS',
  user: {
    emailAddress: hashed('email', googleMailbox),
    phoneNumber: hashed('phone'),
    givenName: hashed('firstName'),
    familyName: hashed('lastName'),
    regionCode: plain('country', countryCode),
    postalCode: plain('zip'),
    ipAddress: plain('ip'),
    userAgent: plain('userAgent'),
  },
  personId: 'none',
  requires: [...adClickFields, 'emailAddress', 'phoneNumber', ['givenName', 'familyName', 'regionCode', 'postalCode']],
  captures: adClickCaptures,
  maxAgeMs: 90 * 86_400_000,
  matchKeys: {
    strong: [
      'captured.gclid',
      'captured._gcl_aw',
      'captured.gbraid',
      'captured._gcl_ag',
      'captured.wbraid',
      'captured._gcl_gb',
      'emailAddress',
      'phoneNumber',
    ],
    weak: ['givenName', 'familyName', 'regionCode', 'postalCode', 'ipAddress', 'userAgent'],
  },
  dedup: 'events[].transactionId (the order, else the eventId), for each conversion action',

  tokenRequest: signIn.tokenRequest,
  request({ event, data, items, orderId, user, value, captured, consent, token }, secrets, productDestinationId) {
    const { emailAddress, phoneNumber, givenName, familyName, regionCode, postalCode, ipAddress, userAgent } = user
    const manager = secrets.GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID
    const isWhole = givenName && familyName && regionCode && postalCode
    const userIdentifiers = [
      unlessEmpty({ emailAddress }),
      unlessEmpty({ phoneNumber }),
      isWhole ? { address: { givenName, familyName, regionCode, postalCode } } : undefined,
    ].filter((sign) => sign !== undefined)
    const conversion = {
      transactionId: orderId,
      eventTimestamp: isoTime(event.timestamp),
      eventSource: 'WEB',
      conversionValue: value,
      currency: data.currency,
      adIdentifiers: adClick(captured),
      userData: userIdentifiers.length > 0 ? { userIdentifiers } : undefined,
      eventDeviceInfo: unlessEmpty({ userAgent, ipAddress: mayHaveAddress(regionCode) ? ipAddress : undefined }),
      cartData: unlessEmpty({
        items: mapItems(itemsWithId(items), ({ id, quantity = 1, item_price }) => {
          return { merchantProductId: id, quantity, unitPrice: item_price }
        }),
      }),
    }
    const operatingAccount = account(secrets.GOOGLE_ADS_CLICKS_CUSTOMER_ID)
    return {
      url: api,
      headers: { authorization: bearerAuth(token) },
      json: {
        destinations: [{ operatingAccount, loginAccount: manager && account(manager), productDestinationId }],
        encoding: 'HEX',
        consent: { adUserData: stated(consent.adUserData), adPersonalization: stated(consent.adPersonalization) },
        events: [conversion],
      },
    }
  },
  batch: { maxEvents: 2_000, listPath: 'events' },
  toTestMode: (request) => ({ ...request, json: { ...(request.json as object), validateOnly: true } }),
})
