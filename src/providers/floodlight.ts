import type { EventData } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { type ConsentSignals, consentWord } from '#provider/form/consentSignals.ts'
import { totalQuantity } from '#provider/form/items.ts'
import { googleEmail } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues, RequestContext } from '#provider/form/request.ts'
import { epochMicros } from '#provider/form/time.ts'
import { hashed } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { eventMapping, identifier } from '#provider/form/variables.ts'
import { clickIdIn } from '#provider/vendors/googleCookies.ts'
import { googleSignIn } from '#provider/vendors/googleSignIn.ts'

const signIn = googleSignIn('FLOODLIGHT', 'https://www.googleapis.com/auth/ddmconversions')

type Answer = { status?: { errors?: { code?: string; message?: string }[] }[] }

/** The rejected conversions of a 200: `status` has a row for each conversion. Only internal errors may be retried. */
const failedRows = ({ status = [] }: Answer) =>
  status.flatMap(({ errors: [error] = [] }, row) =>
    error
      ? [
          {
            row,
            verdict: error.code === 'INTERNAL' ? ('retry' as const) : ('refused' as const),
            message: error.message,
          },
        ]
      : [],
  )

// A conversion has no currency: Google reads the value in the account's currency. Refunds are not sent, because they
// would be added to the value.
export default provider({
  label: 'Campaign Manager 360 (Floodlight)',
  stage: 'beta',
  // The request states consent to advertising, so no other category is allowed.
  consent: ['advertising'],
  gvlId: 755,
  docs: 'https://developers.google.com/doubleclick-advertisers/rest/v5/conversions/batchinsert',
  dashboardUrl: 'https://campaignmanager.google.com/',
  links: {
    onboarding: 'https://developers.google.com/doubleclick-advertisers/getting_started',
    introduction: 'https://developers.google.com/doubleclick-advertisers/guides/conversions_upload',
  },
  host: 'fixed',

  secrets: {
    FLOODLIGHT_PROFILE_ID: identifier('User profile ID', 'Of the user who signs in: Admin, User profiles.', {
      placeholder: '1234567',
      check: digitsCheck,
    }),
    FLOODLIGHT_CONFIGURATION_ID: identifier(
      'Floodlight configuration ID',
      'The id of the advertiser that owns the Floodlight configuration: Floodlight, Configuration.',
      { placeholder: '7654321', check: digitsCheck },
    ),
    FLOODLIGHT_MAPPED_EVENTS: eventMapping('the id of the Floodlight activity: Floodlight, Activities', '9876543'),
    ...signIn.secrets,
  },
  credentialSets: signIn.credentialSets,

  events: {},
  eventMapping: 'FLOODLIGHT_MAPPED_EVENTS',
  user: {
    hashedEmail: hashed('email', googleEmail),
    hashedPhoneNumber: hashed('phone'),
    hashedFirstName: hashed('firstName'),
    hashedLastName: hashed('lastName'),
  },
  personId: 'none',
  requires: ['captured.gclid', 'captured._gcl_aw', 'captured.dclid', 'captured._gcl_dc'],
  captures: [
    { query: 'gclid', cookie: '_gcl_aw' },
    { query: 'dclid', cookie: '_gcl_dc' },
  ],
  matchKeys: {
    strong: [
      'captured.gclid',
      'captured._gcl_aw',
      'captured.dclid',
      'captured._gcl_dc',
      'hashedEmail',
      'hashedPhoneNumber',
    ],
    weak: ['hashedFirstName', 'hashedLastName'],
  },
  dedup: 'conversions[].ordinal (the order, else the eventId), for an activity, a user id and a day',

  tokenRequest: signIn.tokenRequest,
  request(context, secrets, floodlightActivityId) {
    const { event, data, items, orderId, value, token } = context
    if (event.eventName === 'Refund') return { skipped: 'eventNotSupported' }
    const conversion = {
      kind: 'dfareporting#conversion',
      floodlightConfigurationId: secrets.FLOODLIGHT_CONFIGURATION_ID,
      floodlightActivityId,
      ordinal: orderId,
      timestampMicros: String(epochMicros(event.timestamp)),
      // A missing quantity would count as 0.
      quantity: String(totalQuantity(items) ?? 1),
      value,
      ...userIdOf(context.captured),
      customVariables: customVariables(data),
      userIdentifiers: identifiersOf(context),
      adUserDataConsent: userDataConsent(context.consent),
      limitAdTracking: false,
      nonPersonalizedAd: false,
      childDirectedTreatment: false,
      treatmentForUnderage: false,
    }
    const profile = encodeURIComponent(secrets.FLOODLIGHT_PROFILE_ID)
    return {
      // v5 is the only version. A retired version responds with 403, later with 404.
      url: `https://dfareporting.googleapis.com/dfareporting/v5/userprofiles/${profile}/conversions/batchinsert`,
      headers: { authorization: bearerAuth(token) },
      json: { kind: 'dfareporting#conversionsBatchInsertRequest', conversions: [conversion] },
    }
  },
  batch: { listPath: 'conversions', maxEvents: 1_000, partialFailures: failedRows },

  errorMessage: 'status.0.errors.0.message',
  responseRules: [
    { status: 200, path: 'status.0.errors.0.code', equalsAny: ['INTERNAL'], verdict: 'retry' },
    { status: 200, path: 'hasFailures', equalsAny: [true], verdict: 'refused' },
    { status: 403, path: 'error.errors.0.reason', matches: /^(userR|r)ateLimitExceeded$|quota/i, verdict: 'throttled' },
  ],
})

/** Only one user id: Google rejects a conversion with two. */
function userIdOf({ gclid, _gcl_aw, dclid, _gcl_dc }: CapturedValues) {
  const google = gclid?.value ?? clickIdIn(_gcl_aw?.value)
  return google ? { gclid: google } : { dclid: dclid?.value ?? clickIdIn(_gcl_dc?.value) }
}

/** The digests of the person, for enhanced conversions. Undefined if there are none. */
function identifiersOf({ user }: Pick<RequestContext, 'user'>) {
  const { hashedEmail, hashedPhoneNumber, hashedFirstName, hashedLastName } = user
  const addressInfo = unlessEmpty({ hashedFirstName, hashedLastName })
  const identifiers = [
    unlessEmpty({ hashedEmail }),
    unlessEmpty({ hashedPhoneNumber }),
    addressInfo && { addressInfo },
  ].filter((identifier) => identifier !== undefined)
  return identifiers.length > 0 ? identifiers : undefined
}

/** The custom Floodlight variables: texts and numbers in the event's data under `u1` to `u100`. */
function customVariables(data: EventData) {
  const rows = Object.entries(data)
    .filter(([name]) => /^u([1-9]\d?|100)$/i.test(name))
    .filter(([, value]) => typeof value === 'number' || (typeof value === 'string' && value !== ''))
    .map(([name, value]) => ({
      type: name.toUpperCase(),
      value: String(value),
      kind: 'dfareporting#customFloodlightVariable',
    }))
  return rows.length > 0 ? rows : undefined
}

/** `adUserDataConsent`. Undefined if the consent is not known. */
const userDataConsent = ({ adUserData }: Pick<ConsentSignals, 'adUserData'>) =>
  consentWord(adUserData, { granted: 'GRANTED', denied: 'DENIED' })
