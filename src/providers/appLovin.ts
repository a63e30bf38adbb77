import { countryCode, phoneDigits } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { dataOf, eventNames, identities, usZip } from './schemas/appLovin.ts'

export default provider({
  label: 'AppLovin (Axon)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://support.axon.ai/en/growth/promoting-your-websites/api/axon-conversion-api',
  dashboardUrl: 'https://ads.axon.ai/',
  links: {
    onboarding: 'https://support.axon.ai/en/growth/promoting-your-websites/api/axon-conversion-api',
    introduction: 'https://support.axon.ai/en/growth/promoting-your-websites/axon-pixel-integration/events-and-objects',
  },
  host: 'fixed',

  secrets: {
    APPLOVIN_PIXEL_ID: identifier('Axon event key', 'Axon Ads Manager, Account, Keys: Axon Event Key (pixel id).', {
      placeholder: '12345678-90ab-cdef-1234-567890abcdef',
      check: (id: string) =>
        /^[\w-]{8,64}$/.test(id) ? undefined : 'Write the key alone: letters, digits and dashes.',
    }),
    APPLOVIN_API_KEY: password('Conversion API key', 'Axon Ads Manager, Account, Keys: Conversion API Key.'),
  },

  events: eventNames,
  user: {
    user_id: plain('userId'),
    email: hashed('email'),
    phone: hashed('phone', phoneDigits),
    client_ip_address: plain('ip'),
    client_user_agent: plain('userAgent'),
    country_code: plain('country', countryCode),
    zip: plain('zip', usZip),
  },
  requires: identities,
  captures: [
    { query: 'aleid', cookie: '_axeid' },
    { cookie: 'axeid' },
    { query: 'alart', cookie: '_axart' },
    { cookie: '_axwrt' },
  ],
  dedup: 'events[].dedupe_id, shared with the pixel',

  request(context, secrets, name) {
    const { event, user, captured } = context
    const axwrt = captured._axwrt?.value
    const row = {
      name,
      event_time: event.timestamp,
      event_source_url: event.pageUrl,
      dedupe_id: event.eventId,
      data: dataOf(name, context),
      user_data: {
        aleid: (captured.aleid ?? captured._axeid ?? captured.axeid)?.value,
        alart: (captured.alart ?? captured._axart)?.value,
        axwrt,
        client_id: axwrt,
        ...user,
        esi: 'web',
      },
    }
    return {
      url: 'https://b.applovin.com/v1/event',
      query: { pixel_id: secrets.APPLOVIN_PIXEL_ID },
      headers: { authorization: secrets.APPLOVIN_API_KEY },
      json: { events: [row] },
    }
  },
  // one invalid event fails the whole batch
  batch: { listPath: 'events', maxEvents: 100 },
})
