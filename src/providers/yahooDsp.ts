import { bearerAuth, signedJwt } from '#provider/form/authorization.ts'
import { type ConsentSignals, isOptedOut } from '#provider/form/consentSignals.ts'
import { uuid5 } from '#provider/form/ids.ts'
import { mapItems } from '#provider/form/items.ts'
import { countryCode } from '#provider/form/normalise.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { checkbox, identifier, optional, password } from '#provider/form/variables.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'

const tokenUrl = 'https://id.b2b.yahooincapis.com/zts/v1/oauth2/token'
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

// Yahoo reads a price as US dollars, unless Yahoo agreed with the account to read the order's currency.
export default provider({
  label: 'Yahoo DSP',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 25,
  docs: 'https://help.yahooinc.com/dsp-api/docs/standard-yahoo-conversion-api',
  dashboardUrl: 'https://dsp.yahooinc.com/',
  links: { onboarding: 'https://help.yahooinc.com/dsp-api/docs/standard-yahoo-conversion-api' },
  hasActivation: true,
  host: 'fixed',

  secrets: {
    YAHOO_DSP_PIXEL_ID: identifier(
      'Pixel ID',
      'Of a pixel for the Conversion API alone, which Yahoo allowed: with the id of a pixel of the page events count twice.',
      { placeholder: '10012345', check: digitsCheck },
    ),
    YAHOO_DSP_CLIENT_ID: identifier('Client ID', 'In the file of credentials that Yahoo sends.', { sensitive: true }),
    YAHOO_DSP_CLIENT_SECRET: password('Client secret', 'In the same file.'),
    YAHOO_DSP_STREAMING: checkbox('Streaming', 'Yahoo reads events several times a day, else once.', optional),
  },

  // The names are free: a rule of the DSP matches them.
  events: standardEventNames,
  customEventName: customExceptRefund(),
  user: {
    email: hashed('email'),
    phone: hashed('phone'),
    ip_address: plain('ip'),
    userAgent: plain('userAgent'),
    country: plain('country', countryCode),
  },
  personId: 'none',
  requires: ['captured.vmcid', 'email', 'phone', 'ip_address'],
  captures: [{ query: 'vmcid' }],
  matchKeys: {
    strong: ['captured.vmcid', 'email', 'phone'],
    weak: ['country', 'ip_address', 'userAgent'],
  },
  dedup: 'eventId',

  tokenRequest: {
    request({ YAHOO_DSP_CLIENT_ID: client, YAHOO_DSP_CLIENT_SECRET: hs256 }, now) {
      const iat = epochSeconds(now)
      const claims = { iss: client, sub: client, aud: `${tokenUrl}?realm=dsp`, exp: iat + 600, iat }
      const client_assertion = signedJwt({ ...claims, jti: uuid5(`${client} ${now}`) }, { hs256 })
      const grant = { grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion }
      return { url: tokenUrl, form: { ...grant, scope: 'dsp-api-access', realm: 'dsp' } }
    },
  },
  request({ event, data, items, user, value, captured, consent, token }, secrets, eventName) {
    const { email, phone, country, ...browser } = user
    const row = {
      eventTs: epochSeconds(event.timestamp),
      eventName,
      eventId: event.eventId,
      actionSource: 'web',
      actionSourceUrl: event.pageUrl,
      country,
      userData: { email: asList(email), phone: asList(phone), ...browser },
      eventData: unlessEmpty({
        price: value,
        products: mapItems(items, ({ category, title: subCategory }) => ({ category, subCategory })),
        customKeyValues: unlessEmpty({ order_id: data.orderId, currency: data.currency }),
      }),
      clickData: unlessEmpty({ vmcid: captured.vmcid?.value }),
      privacy: privacyOf(consent),
    }
    const host = secrets.YAHOO_DSP_STREAMING === '1' ? 'streaming' : 'batch'
    return {
      url: `https://${host}.datax.yahoo.com/v1/events/${encodeURIComponent(secrets.YAHOO_DSP_PIXEL_ID)}`,
      headers: { authorization: bearerAuth(token), accept: 'application/json' },
      json: [row],
    }
  },
  batch: {
    maxEvents: 500,
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as unknown[]) }),
  },

  // The response does not name the events that a PARTIAL rejected. The batch is split and sent again, and the eventId
  // prevents double counting.
  responseRules: [{ status: 200, path: 'success', equalsAny: ['PARTIAL'], verdict: 'refused' }],
})

/** Yahoo reads one of three: an opt-out, or the string of the applicable law. */
function privacyOf(consent: ConsentSignals) {
  const { tcf, gpp, gppSections: gpp_sid } = consent.strings ?? {}
  if (isOptedOut(consent)) return { privacy_type: 'OPTOUT' }
  if (tcf) return { privacy_type: 'GDPR', consent_string: tcf }
  return gpp ? { privacy_type: 'GPP', consent_string: gpp, gpp_sid } : undefined
}
