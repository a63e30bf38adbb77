import { bearerAuth } from '#provider/form/authorization.ts'
import { isOptedOut } from '#provider/form/consentSignals.ts'
import { asLists } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import {
  checkbox,
  eventMapping,
  idCheck,
  identifier,
  optional,
  password,
  tokenCheck,
} from '#provider/form/variables.ts'
import { dataOf, personLists, typeOf, validated } from './schemas/openAiAds.ts'

export default provider({
  label: 'OpenAI Ads (ChatGPT)',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developers.openai.com/ads/conversions-api',
  dashboardUrl: 'https://ads.openai.com/',
  links: {
    onboarding: 'https://developers.openai.com/ads/conversion-tracking',
    introduction: 'https://developers.openai.com/ads/supported-events',
    faq: 'https://developers.openai.com/ads/api-reference/conversion-setup',
  },
  host: 'fixed',

  secrets: {
    OPENAI_ADS_PIXEL_ID: identifier('Pixel ID', 'Ads Manager, Conversions: the id of the pixel.', { check: idCheck }),
    OPENAI_ADS_API_KEY: password(
      'Conversions API key',
      'Ads Manager, Conversions, Conversions API keys. The Advertiser API key is another one.',
      { check: tokenCheck },
    ),
    OPENAI_ADS_VALIDATE_ONLY: checkbox('Validate only', 'OpenAI checks the events and does not store them.', optional),
    OPENAI_ADS_MAPPED_EVENTS: eventMapping(
      'a standard event of OpenAI or the name of a custom event in Ads Manager. Events without a pair keep their name',
      'order_created',
      optional,
    ),
  },

  events: {
    PageView: 'page_viewed',
    ViewContent: 'contents_viewed',
    AddToCart: 'items_added',
    InitiateCheckout: 'checkout_started',
    Purchase: 'order_created',
    Subscribe: 'subscription_created',
    Lead: 'lead_created',
  },
  eventMapping: 'OPENAI_ADS_MAPPED_EVENTS',
  // OpenAI has no refunds, and an amount of a custom event would count as revenue
  customEventName: (eventName) => (eventName === 'Refund' ? undefined : eventName),
  user: {
    ...personLists,
    ip_address: plain('ip'),
    user_agent: plain('userAgent'),
  },
  requires: ['captured.oppref', 'captured.__oppref', 'captured.__obref', 'emails_sha256', 'external_ids_sha256'],
  captures: [{ query: 'oppref', cookie: '__oppref' }, { cookie: '__obref' }],
  maxAgeMs: 7 * 86_400_000,
  dedup: 'events[].id, together with type',

  request({ event, data, items, user, value, captured, consent }, secrets, name) {
    const type = typeOf(name)
    if (!type) return { skipped: 'eventNotSupported' }
    const { ip_address, user_agent, ...lists } = user
    const row = {
      id: event.eventId,
      ...type,
      timestamp_ms: event.timestamp,
      // source_url is required where the source is web
      action_source: event.pageUrl ? 'web' : 'other',
      source_url: event.pageUrl,
      oppref: (captured.oppref ?? captured.__oppref)?.value,
      opt_out: isOptedOut(consent),
      user: { obref: captured.__obref?.value, ...asLists(lists), ip_address, user_agent },
      data: dataOf(type.type, data.currency, value, items),
    }
    const request = {
      url: 'https://bzr.openai.com/v1/events',
      query: { pid: secrets.OPENAI_ADS_PIXEL_ID },
      headers: { authorization: bearerAuth(secrets.OPENAI_ADS_API_KEY) },
      json: { validate_only: false, events: [row] },
    }
    return secrets.OPENAI_ADS_VALIDATE_ONLY === '1' ? validated(request) : request
  },
  batch: { listPath: 'events', maxEvents: 1_000 },
  toTestMode: validated,
})
