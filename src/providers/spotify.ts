import { bearerAuth } from '#provider/form/authorization.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { idCheck, identifier, password, tokenCheck } from '#provider/form/variables.ts'

export default provider({
  label: 'Spotify Ads',
  // The response, the age limit and the maximum number of events per request could not be verified.
  stage: 'draft',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://adshelp.spotify.com/s/article/Spotify-Conversions-API-US',
  dashboardUrl: 'https://adsmanager.spotify.com/',
  links: { introduction: 'https://fivetran.com/docs/activations/destinations/available-destinations/spotify-ads' },
  host: 'fixed',

  secrets: {
    SPOTIFY_CONNECTION_ID: identifier(
      'Connection ID',
      'Ads Manager, Events, your Conversions API connection: the id below its name.',
      { check: idCheck },
    ),
    SPOTIFY_ACCESS_TOKEN: password(
      'Conversions API token',
      'Ads Manager, Events, Connect data source, Conversions API, Generate token. It does not expire.',
      { check: tokenCheck },
    ),
  },

  events: {
    PageView: 'VIEW',
    ViewContent: 'PRODUCT',
    AddToCart: 'ADD_TO_CART',
    InitiateCheckout: 'CHECK_OUT',
    Purchase: 'PURCHASE',
    Subscribe: 'SIGN_UP',
    Lead: 'LEAD',
    CompleteRegistration: 'SIGN_UP',
  },
  // Spotify has five names for custom events. Events with other names are not sent.
  customEventName: (eventName) => (/^CUSTOM_EVENT_[1-5]$/.test(eventName) ? eventName : undefined),
  user: {
    hashed_emails: hashed('email'),
    hashed_phone_number: hashed('phone'),
    ip_address: plain('ip'),
  },
  personId: 'none',
  requires: ['ip_address', 'captured.__spdt', 'captured.__pdst', 'hashed_emails', 'hashed_phone_number'],
  captures: [{ cookie: '__spdt' }, { cookie: '__pdst' }],
  // not documented; conservative
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['hashed_emails', 'hashed_phone_number'],
    medium: ['captured.__spdt', 'captured.__pdst', 'ip_address'],
  },
  dedup: 'events[].event_id, the same as in the pixel',

  request({ event, data: { currency }, user, value, captured, consent }, secrets, event_name) {
    const { hashed_emails, ...others } = user
    const amount = currency ? unlessNegative(value) : undefined
    const row = {
      event_id: event.eventId,
      event_name,
      event_time: isoTime(event.timestamp),
      event_source_url: /^https?:/.test(event.pageUrl ?? '') ? event.pageUrl : undefined,
      action_source: 'WEB',
      opt_out_targeting: isOptedOut(consent),
      // content_category is omitted: Spotify rejects values that are not in Google's product taxonomy.
      event_details: unlessEmpty({ amount, currency }),
      user_data: {
        hashed_emails: asList(hashed_emails),
        ...others,
        device_id: (captured.__spdt ?? captured.__pdst)?.value,
      },
    }
    return {
      // The trailing slash is required.
      url: 'https://capi.spotify.com/capi-direct/events/',
      headers: { authorization: bearerAuth(secrets.SPOTIFY_ACCESS_TOKEN) },
      json: { conversion_events: { capi_connection_id: secrets.SPOTIFY_CONNECTION_ID, events: [row] } },
    }
  },
})
