import type { ProviderId } from '#contract/providerIds.ts'
import type { GtmTemplate } from './container.ts'

/** The channel for tags of a template or built-in type. */
export type GtmTagSpec = {
  providerId: ProviderId
  /** Parameters of the tag, and the provider's variables. */
  fields: Readonly<Record<string, string>>
  /** Parameter values that the provider writes differently. */
  choices?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The parameters that select the vendor event: its modes, and the parameters with a name. */
  event?: { modes: readonly string[]; standard?: string; custom?: string }
  /** The parameter with the vendor's event id, for the provider's event map. */
  pairs?: { parameter: string; variable: string }
  /** The values of the parameter `type` with which the tag sends an event. Other values do something else. */
  sends?: readonly string[]
}

const stapeEvent = { modes: ['eventType'], standard: 'eventNameStandard', custom: 'eventNameCustom' } as const

/** Community templates by `owner/repository`. Parameter names: `template.tpl` of each repository. */
const byRepository: Readonly<Record<string, GtmTagSpec>> = {
  'stape-io/facebook-tag': {
    providerId: 'facebook',
    fields: { pixelId: 'FACEBOOK_PIXEL_ID', accessToken: 'FACEBOOK_ACCESS_TOKEN', testId: 'FACEBOOK_TEST_EVENT_CODE' },
    event: { modes: ['inheritEventName', 'eventName'], standard: 'eventNameStandard', custom: 'eventNameCustom' },
  },
  'facebookincubator/conversionsapi-tag-for-googletagmanager': {
    providerId: 'facebook',
    fields: {
      pixelId: 'FACEBOOK_PIXEL_ID',
      apiAccessToken: 'FACEBOOK_ACCESS_TOKEN',
      testEventCode: 'FACEBOOK_TEST_EVENT_CODE',
    },
  },
  'tiktok/gtm-template-eapi': {
    providerId: 'tiktok',
    fields: {
      pixel_code: 'TIKTOK_PIXEL_CODE',
      access_token: 'TIKTOK_ACCESS_TOKEN',
      test_event_code: 'TIKTOK_TEST_EVENT_CODE',
    },
    event: { modes: [], standard: 'event' },
  },
  'stape-io/tiktok-tag': {
    providerId: 'tiktok',
    fields: {
      pixelId: 'TIKTOK_PIXEL_CODE',
      accessToken: 'TIKTOK_ACCESS_TOKEN',
      testEventCode: 'TIKTOK_TEST_EVENT_CODE',
    },
    event: { modes: ['eventType'], standard: 'eventName', custom: 'eventNameCustom' },
  },
  'pinterest/ss-gtm-template': {
    providerId: 'pinterest',
    fields: { advertiserId: 'PINTEREST_AD_ACCOUNT_ID', apiAccessToken: 'PINTEREST_ACCESS_TOKEN' },
    event: { modes: ['eventName'], standard: 'eventNameStandard', custom: 'adeEventName' },
  },
  'stape-io/pinterest-tag': {
    providerId: 'pinterest',
    fields: { advertiserId: 'PINTEREST_AD_ACCOUNT_ID', apiAccessToken: 'PINTEREST_ACCESS_TOKEN' },
    event: stapeEvent,
  },
  'stape-io/snapchat-tag': {
    providerId: 'snapchat',
    fields: { pixelId: 'SNAPCHAT_PIXEL_ID', accessToken: 'SNAPCHAT_ACCESS_TOKEN' },
    event: stapeEvent,
  },
  'stape-io/linkedin-tag': {
    providerId: 'linkedIn',
    fields: { accessToken: 'LINKEDIN_ACCESS_TOKEN', partnerIds: 'LINKEDIN_PARTNER_ID' },
    pairs: { parameter: 'conversionRuleUrn', variable: 'LINKEDIN_MAPPED_EVENTS' },
    sends: ['conversion'],
  },
  'stape-io/reddit-tag': {
    providerId: 'reddit',
    fields: { accountId: 'REDDIT_PIXEL_ID', accessToken: 'REDDIT_CONVERSION_TOKEN', testId: 'REDDIT_TEST_ID' },
    event: { modes: ['eventType'], standard: 'eventName', custom: 'eventNameCustom' },
  },
  'stape-io/klaviyo-tag': {
    providerId: 'klaviyo',
    fields: { apiKey: 'KLAVIYO_API_KEY', listId: 'KLAVIYO_LIST_ID' },
    event: { modes: [], custom: 'event' },
    sends: ['event'],
  },
  'stape-io/mixpanel-tag': {
    providerId: 'mixpanel',
    fields: { token: 'MIXPANEL_PROJECT_TOKEN', serverEU: 'MIXPANEL_REGION' },
    choices: { serverEU: { true: 'EU' } },
    event: { modes: [], custom: 'trackName' },
    sends: ['track'],
  },
  'stape-io/twitter-tag': {
    providerId: 'twitter',
    fields: {
      pixelId: 'TWITTER_PIXEL_ID',
      pixelAccessToken: 'TWITTER_PIXEL_TOKEN',
      consumerKey: 'TWITTER_CONSUMER_KEY',
      consumerSecret: 'TWITTER_CONSUMER_SECRET',
      oauthToken: 'TWITTER_ACCESS_TOKEN',
      oauthTokenSecret: 'TWITTER_ACCESS_TOKEN_SECRET',
    },
    pairs: { parameter: 'eventId', variable: 'TWITTER_MAPPED_EVENTS' },
  },
  'stape-io/microsoft-capi-tag': {
    providerId: 'bing',
    fields: { uetTagId: 'BING_TAG_ID', authToken: 'BING_API_TOKEN' },
    pairs: { parameter: 'customEventEventName', variable: 'BING_MAPPED_EVENTS' },
  },
  'stape-io/amazon-tag': {
    providerId: 'amazonAds',
    fields: { tagRegion: 'AMAZON_ADS_REGION' },
    event: stapeEvent,
  },
  'stape-io/taboola-tag': {
    providerId: 'taboola',
    fields: { clickIdParameterName: 'TABOOLA_QUERY_KEY' },
    pairs: { parameter: 'eventName', variable: 'TABOOLA_MAPPED_EVENTS' },
    sends: ['conversion'],
  },
  'stape-io/outbrain-tag': {
    providerId: 'outbrain',
    fields: { clickIdParameterName: 'OUTBRAIN_QUERY_KEY' },
    pairs: { parameter: 'name', variable: 'OUTBRAIN_MAPPED_EVENTS' },
    sends: ['conversion'],
  },
  'stape-io/awin-tag': {
    providerId: 'awin',
    fields: { advertiserId: 'AWIN_ADVERTISER_ID', commissionGroup: 'AWIN_COMMISSION_GROUP' },
  },
  'stape-io/cj-tag': {
    providerId: 'cj',
    fields: { cid: 'CJ_ENTERPRISE_ID', actionId: 'CJ_ACTION_ID' },
    sends: ['conversion'],
  },
  'stape-io/impact-tag': {
    providerId: 'impact',
    fields: { accountSID: 'IMPACT_ACCOUNT_SID', authToken: 'IMPACT_ACCESS_TOKEN', campaignId: 'IMPACT_CAMPAIGN_ID' },
    pairs: { parameter: 'eventTypeId', variable: 'IMPACT_CONVERSIONS' },
    sends: ['conversion'],
  },
  'stape-io/rakuten-tag': { providerId: 'rakuten', fields: { mid: 'RAKUTEN_MID' }, sends: ['conversion'] },
  'stape-io/nextdoor-tag': {
    providerId: 'nextdoor',
    fields: {
      pixelId: 'NEXTDOOR_PIXEL_ID',
      accessToken: 'NEXTDOOR_ACCESS_TOKEN',
      clientId: 'NEXTDOOR_ADVERTISER_ID',
    },
    event: stapeEvent,
  },
  'stape-io/spotify-tag': {
    providerId: 'spotify',
    fields: { connectionId: 'SPOTIFY_CONNECTION_ID', authToken: 'SPOTIFY_ACCESS_TOKEN' },
    event: stapeEvent,
  },
  'stape-io/everflow-tag': {
    providerId: 'everflow',
    fields: { postbackUrl: 'EVERFLOW_POSTBACK_URL' },
    sends: ['conversion'],
  },
  'stape-io/hubspot-tag': {
    providerId: 'hubspot',
    fields: { apiKey: 'HUBSPOT_ACCESS_TOKEN' },
    pairs: { parameter: 'customBehavioralEventEventName', variable: 'HUBSPOT_MAPPED_EVENTS' },
    sends: ['trackCustomBehavioralEvent'],
  },
  'stape-io/activecampaign-tag': {
    providerId: 'activeCampaign',
    fields: {
      actid: 'ACTIVE_CAMPAIGN_ACCOUNT_ID',
      eventKey: 'ACTIVE_CAMPAIGN_EVENT_KEY',
      apiUrl: 'ACTIVE_CAMPAIGN_API_URL',
      apiKey: 'ACTIVE_CAMPAIGN_API_KEY',
      listId: 'ACTIVE_CAMPAIGN_LIST_ID',
    },
    event: { modes: [], custom: 'event' },
    sends: ['trackEvent', 'createOrUpdateContactTrackEvent'],
  },
  'stape-io/brevo-tag': {
    providerId: 'brevo',
    fields: {},
    event: { modes: [], custom: 'event' },
    sends: ['trackEvent'],
  },
  'stape-io/braze-tag': {
    providerId: 'braze',
    fields: { apiEndpoint: 'BRAZE_REST_ENDPOINT', apiKey: 'BRAZE_API_KEY', appId: 'BRAZE_APP_ID' },
    event: { modes: [], custom: 'eventNameCustom' },
  },
  'stape-io/attentive-tag': {
    providerId: 'attentive',
    fields: { apiKey: 'ATTENTIVE_API_KEY' },
    event: { modes: ['eventType'], standard: 'eCommerceEvent', custom: 'customEvent' },
  },
  'stape-io/mailchimp-tag': {
    providerId: 'mailchimp',
    fields: { apiKey: 'MAILCHIMP_API_KEY', listId: 'MAILCHIMP_AUDIENCE_ID' },
    event: { modes: [], custom: 'eventName' },
    sends: ['trackEvent', 'createOrUpdateContactTrackEvent'],
  },
  'stape-io/axon-tag': {
    providerId: 'appLovin',
    fields: { pixelId: 'APPLOVIN_PIXEL_ID', apiKey: 'APPLOVIN_API_KEY' },
    event: stapeEvent,
  },
  'quora/quora-capi-tag': {
    providerId: 'quora',
    fields: { accountId: 'QUORA_ACCOUNT_ID', accessToken: 'QUORA_API_TOKEN' },
    event: { modes: ['eventType'], standard: 'eventName' },
  },
  'stape-io/json-http-request-tag': { providerId: 'eventSink', fields: { url: 'EVENT_SINK_URL' } },
  'stape-io/gads-offline-conversion-tag': { providerId: 'googleAdsClicks', fields: {} },
  'stape-io/google-conversion-events-tag': { providerId: 'googleAdsClicks', fields: {} },
}

/** The templates' own display names, for copies without a gallery reference. */
const displayNames: Readonly<Record<string, string>> = {
  'facebook conversion api': 'stape-io/facebook-tag',
  'conversions api tag': 'facebookincubator/conversionsapi-tag-for-googletagmanager',
  'tiktok events api (official)': 'tiktok/gtm-template-eapi',
  'tiktok events api': 'stape-io/tiktok-tag',
  'pinterest api for conversions tag': 'pinterest/ss-gtm-template',
  'pinterest conversion api by stape': 'stape-io/pinterest-tag',
  'pinterest conversion api': 'stape-io/pinterest-tag',
  'snapchat conversion api': 'stape-io/snapchat-tag',
  'linkedin conversion api': 'stape-io/linkedin-tag',
  'reddit conversion api': 'stape-io/reddit-tag',
  klaviyo: 'stape-io/klaviyo-tag',
  mixpanel: 'stape-io/mixpanel-tag',
  'x (twitter) conversion api': 'stape-io/twitter-tag',
  'microsoft ads uet conversion api by stape': 'stape-io/microsoft-capi-tag',
  'amazon capi': 'stape-io/amazon-tag',
  taboola: 'stape-io/taboola-tag',
  outbrain: 'stape-io/outbrain-tag',
  awin: 'stape-io/awin-tag',
  cj: 'stape-io/cj-tag',
  impact: 'stape-io/impact-tag',
  rakuten: 'stape-io/rakuten-tag',
  'nextdoor conversion api': 'stape-io/nextdoor-tag',
  'spotify conversions api by stape': 'stape-io/spotify-tag',
  'everflow by stape': 'stape-io/everflow-tag',
  hubspot: 'stape-io/hubspot-tag',
  activecampaign: 'stape-io/activecampaign-tag',
  brevo: 'stape-io/brevo-tag',
  braze: 'stape-io/braze-tag',
  attentive: 'stape-io/attentive-tag',
  'mailchimp event track': 'stape-io/mailchimp-tag',
  'axon (applovin) server api by stape': 'stape-io/axon-tag',
  'quora conversions api': 'quora/quora-capi-tag',
  'json http request': 'stape-io/json-http-request-tag',
}
const galleryIds: Readonly<Record<string, string>> = {
  '5TP8W': 'stape-io/facebook-tag',
  MQ7RL: 'stape-io/klaviyo-tag',
}

/** Parameters that only one template has, to recognise renamed copies. */
const signatures: readonly (readonly [repository: string, parameters: readonly string[]])[] = [
  ['stape-io/facebook-tag', ['inheritEventName', 'generateFbp', 'pixelId', 'accessToken']],
  ['facebookincubator/conversionsapi-tag-for-googletagmanager', ['apiAccessToken', 'extendCookies', 'pixelId']],
  ['tiktok/gtm-template-eapi', ['pixel_code', 'access_token', 'object_property_source']],
  ['stape-io/tiktok-tag', ['generateTtp', 'pixelId', 'accessToken']],
  ['stape-io/linkedin-tag', ['conversionRuleUrn', 'accessToken']],
  ['stape-io/mixpanel-tag', ['serverEU', 'trackName', 'token']],
  ['stape-io/klaviyo-tag', ['klaviyoUserId', 'apiKey', 'listId']],
]

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** The vendor of a template: by its repository, its gallery id, its name, or its parameters. */
export function specOfTemplate(template: GtmTemplate): GtmTagSpec | undefined {
  const repository =
    (own(byRepository, template.repository) && template.repository) ||
    own(galleryIds, template.galleryId) ||
    own(displayNames, template.displayName) ||
    signatures.find(([, names]) => names.every((name) => template.parameterNames.has(name)))?.[0]
  return repository === undefined ? undefined : own(byRepository, repository)
}

/** Every row, for the test that each variable exists at its provider. */
export const allTemplateSpecs = Object.entries(byRepository)
