import { bearerAuth } from '#provider/form/authorization.ts'
import { totalQuantity } from '#provider/form/items.ts'
import { googleEmail } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { epochMicros } from '#provider/form/time.ts'
import { hashed } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { eventMapping, identifier } from '#provider/form/variables.ts'
import { googleSignIn } from '#provider/vendors/googleSignIn.ts'
import { adUserData, customVariables, failedRows, identifiersOf, userIdOf } from './schemas/floodlight.ts'

const signIn = googleSignIn('FLOODLIGHT', 'https://www.googleapis.com/auth/ddmconversions')

// A conversion has no currency: the value is read in that of the account. Refunds would be added to the value, so they
// are not sent.
export default provider({
  label: 'Campaign Manager 360 (Floodlight)',
  stage: 'beta',
  // the request states consent to advertising, so no other category is allowed
  consent: ['advertising'],
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
  requires: ['captured.gclid', 'captured._gcl_aw', 'captured.dclid', 'captured._gcl_dc'],
  captures: [
    { query: 'gclid', cookie: '_gcl_aw' },
    { query: 'dclid', cookie: '_gcl_dc' },
  ],
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
      // a missing quantity would count as 0
      quantity: String(totalQuantity(items) ?? 1),
      value,
      ...userIdOf(context.captured),
      customVariables: customVariables(data),
      userIdentifiers: identifiersOf(context),
      adUserDataConsent: adUserData(context.consent),
      limitAdTracking: false,
      nonPersonalizedAd: false,
      childDirectedTreatment: false,
      treatmentForUnderage: false,
    }
    const profile = encodeURIComponent(secrets.FLOODLIGHT_PROFILE_ID)
    return {
      // v5 is the only version: an ended one answers 403, later 404
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
