import type { ProviderId } from '#contract/providerIds.ts'
import { type JsonObject, member, textOf } from './json.ts'

/** The provider of a destination or tool, and its settings that are variables. `a.b` is a nested member. */
export type DestinationSpec = { providerId: ProviderId; fields: Readonly<Record<string, string>> }

const spec = (providerId: ProviderId, fields: Readonly<Record<string, string>> = {}): DestinationSpec => ({
  providerId,
  fields,
})

type DestinationTable = Readonly<Record<string, DestinationSpec>>

/**
 * Destinations of RudderStack by the name of their definition, with the fields of their configuration.
 * https://www.rudderstack.com/docs/destinations/
 */
export const rudderStackDestinations: DestinationTable = {
  FACEBOOK_CONVERSIONS: spec('facebook', {
    pixelId: 'FACEBOOK_PIXEL_ID',
    datasetId: 'FACEBOOK_PIXEL_ID',
    accessToken: 'FACEBOOK_ACCESS_TOKEN',
  }),
  FACEBOOK_PIXEL: spec('facebook', { pixelId: 'FACEBOOK_PIXEL_ID', accessToken: 'FACEBOOK_ACCESS_TOKEN' }),
  GA4: spec('googleAnalytics4', {
    measurementId: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID',
    apiSecret: 'GOOGLE_ANALYTICS_4_API_SECRET',
  }),
  TIKTOK_ADS: spec('tiktok', { pixelCode: 'TIKTOK_PIXEL_CODE', accessToken: 'TIKTOK_ACCESS_TOKEN' }),
  GOOGLE_ADWORDS_ENHANCED_CONVERSIONS: spec('googleAdsClicks', {
    customerId: 'GOOGLE_ADS_CLICKS_CUSTOMER_ID',
    loginCustomerId: 'GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID',
  }),
  GOOGLE_ADWORDS_OFFLINE_CONVERSIONS: spec('googleAdsClicks', {
    customerId: 'GOOGLE_ADS_CLICKS_CUSTOMER_ID',
    loginCustomerId: 'GOOGLE_ADS_CLICKS_LOGIN_CUSTOMER_ID',
  }),
  SNAPCHAT_CONVERSION: spec('snapchat', { pixelId: 'SNAPCHAT_PIXEL_ID', apiKey: 'SNAPCHAT_ACCESS_TOKEN' }),
  PINTEREST_TAG: spec('pinterest', {
    adAccountId: 'PINTEREST_AD_ACCOUNT_ID',
    conversionToken: 'PINTEREST_ACCESS_TOKEN',
    tagId: 'PINTEREST_TAG_ID',
  }),
  REDDIT: spec('reddit', { accountId: 'REDDIT_PIXEL_ID' }),
  LINKEDIN_ADS: spec('linkedIn'),
  BINGADS_OFFLINE_CONVERSIONS: spec('bing'),
  TWITTER_ADS: spec('twitter', {
    pixelId: 'TWITTER_PIXEL_ID',
    consumerKey: 'TWITTER_CONSUMER_KEY',
    consumerSecret: 'TWITTER_CONSUMER_SECRET',
    accessToken: 'TWITTER_ACCESS_TOKEN',
    accessTokenSecret: 'TWITTER_ACCESS_TOKEN_SECRET',
  }),
  DCM_FLOODLIGHT: spec('floodlight', { advertiserId: 'FLOODLIGHT_CONFIGURATION_ID' }),
  KLAVIYO: spec('klaviyo', { privateApiKey: 'KLAVIYO_API_KEY', listId: 'KLAVIYO_LIST_ID' }),
  BRAZE: spec('braze', { restApiKey: 'BRAZE_API_KEY' }),
  AM: spec('amplitude', { apiKey: 'AMPLITUDE_API_KEY', residencyServer: 'AMPLITUDE_REGION' }),
  MP: spec('mixpanel', { token: 'MIXPANEL_PROJECT_TOKEN' }),
  HS: spec('hubspot', { accessToken: 'HUBSPOT_ACCESS_TOKEN' }),
  CUSTOMERIO: spec('customerIo', {
    siteID: 'CUSTOMER_IO_SITE_ID',
    apiKey: 'CUSTOMER_IO_API_KEY',
    datacenter: 'CUSTOMER_IO_REGION',
  }),
  ITERABLE: spec('iterable', { apiKey: 'ITERABLE_API_KEY' }),
  INTERCOM: spec('intercom', { apiKey: 'INTERCOM_ACCESS_TOKEN' }),
  POSTHOG: spec('postHog', { teamApiKey: 'POSTHOG_PROJECT_API_KEY', yourInstance: 'POSTHOG_HOST' }),
  MAILCHIMP: spec('mailchimp', {
    apiKey: 'MAILCHIMP_API_KEY',
    audienceId: 'MAILCHIMP_AUDIENCE_ID',
    datacenterId: 'MAILCHIMP_DATACENTER',
  }),
  ACTIVE_CAMPAIGN: spec('activeCampaign', {
    apiUrl: 'ACTIVE_CAMPAIGN_API_URL',
    apiKey: 'ACTIVE_CAMPAIGN_API_KEY',
    actid: 'ACTIVE_CAMPAIGN_ACCOUNT_ID',
    eventKey: 'ACTIVE_CAMPAIGN_EVENT_KEY',
  }),
  CLEVERTAP: spec('cleverTap', { accountId: 'CLEVERTAP_ACCOUNT_ID', passcode: 'CLEVERTAP_PASSCODE' }),
  MOENGAGE: spec('moEngage', { apiId: 'MOENGAGE_WORKSPACE_ID', apiKey: 'MOENGAGE_DATA_API_KEY' }),
  HEAP: spec('heap', { appId: 'HEAP_APP_ID' }),
  STATSIG: spec('statsig', { secretKey: 'STATSIG_SERVER_SECRET' }),
  BRANCH: spec('branch', { branchKey: 'BRANCH_KEY' }),
  KINESIS: spec('amazonKinesis', {
    accessKeyID: 'AWS_ACCESS_KEY_ID',
    secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
    region: 'AWS_REGION',
    stream: 'KINESIS_STREAM_NAME',
  }),
  WEBHOOK: spec('eventSink', { webhookUrl: 'EVENT_SINK_URL' }),
  HTTP: spec('eventSink', { apiUrl: 'EVENT_SINK_URL' }),
}

/** Zaraz components, with their setting fields. Repositories: github.com/managed-components. */
export const zarazComponents: DestinationTable = {
  'google-analytics_v4': spec('googleAnalytics4', { tid: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID' }),
  'facebook-pixel': spec('facebook', {
    property: 'FACEBOOK_PIXEL_ID',
    accessToken: 'FACEBOOK_ACCESS_TOKEN',
    testKey: 'FACEBOOK_TEST_EVENT_CODE',
  }),
  tiktok: spec('tiktok', {
    pixelCode: 'TIKTOK_PIXEL_CODE',
    pixelId: 'TIKTOK_PIXEL_CODE',
    accessToken: 'TIKTOK_ACCESS_TOKEN',
  }),
  pinterest: spec('pinterest', {
    tid: 'PINTEREST_TAG_ID',
    adAccountId: 'PINTEREST_AD_ACCOUNT_ID',
    accessToken: 'PINTEREST_ACCESS_TOKEN',
  }),
  snapchat: spec('snapchat', { pixelId: 'SNAPCHAT_PIXEL_ID', accessToken: 'SNAPCHAT_ACCESS_TOKEN' }),
  reddit: spec('reddit', {
    pixelId: 'REDDIT_PIXEL_ID',
    accountId: 'REDDIT_PIXEL_ID',
    accessToken: 'REDDIT_CONVERSION_TOKEN',
  }),
  'twitter-pixel': spec('twitter', { pixelId: 'TWITTER_PIXEL_ID', txn_id: 'TWITTER_PIXEL_ID' }),
  'linkedin-pixel': spec('linkedIn', { partnerId: 'LINKEDIN_PARTNER_ID' }),
  'linkedin-insight': spec('linkedIn', { partnerId: 'LINKEDIN_PARTNER_ID' }),
  bing: spec('bing', { ti: 'BING_TAG_ID' }),
  'quora-pixel': spec('quora', { pixelId: 'QUORA_ACCOUNT_ID' }),
  outbrain: spec('outbrain'),
  taboola: spec('taboola'),
  floodlight: spec('floodlight', { advertiserId: 'FLOODLIGHT_CONFIGURATION_ID' }),
  'google-ads': spec('googleAdsClicks'),
  mixpanel: spec('mixpanel', { token: 'MIXPANEL_PROJECT_TOKEN' }),
  amplitude: spec('amplitude', { api_key: 'AMPLITUDE_API_KEY' }),
  segment: spec('segment', { writeKey: 'WRITE_KEY' }),
  snowplow: spec('snowplow', { endpoint: 'SNOWPLOW_COLLECTOR_URL', appId: 'SNOWPLOW_APP_ID' }),
  hubspot: spec('hubspot'),
  'impact-radius': spec('impact', { accountSID: 'IMPACT_ACCOUNT_SID', campaignId: 'IMPACT_CAMPAIGN_ID' }),
  podsights: spec('podscribe'),
  branch: spec('branch', { branchKey: 'BRANCH_KEY' }),
  http: spec('eventSink', { url: 'EVENT_SINK_URL' }),
}

/** Segment destinations by slug, with their setting fields. */
export const segmentDestinations: DestinationTable = {
  'actions-facebook-conversions-api': spec('facebook', {
    pixelId: 'FACEBOOK_PIXEL_ID',
    testEventCode: 'FACEBOOK_TEST_EVENT_CODE',
  }),
  'tiktok-conversions': spec('tiktok', { pixelCode: 'TIKTOK_PIXEL_CODE', accessToken: 'TIKTOK_ACCESS_TOKEN' }),
  'actions-google-enhanced-conversions': spec('googleAdsClicks', { customerId: 'GOOGLE_ADS_CLICKS_CUSTOMER_ID' }),
  'actions-google-analytics-4': spec('googleAnalytics4', {
    measurementId: 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID',
    apiSecret: 'GOOGLE_ANALYTICS_4_API_SECRET',
  }),
  'actions-pinterest-conversions-api': spec('pinterest', {
    ad_account_id: 'PINTEREST_AD_ACCOUNT_ID',
    conversion_token: 'PINTEREST_ACCESS_TOKEN',
  }),
  'actions-snap-conversions': spec('snapchat', { pixel_id: 'SNAPCHAT_PIXEL_ID' }),
  'actions-klaviyo': spec('klaviyo', { api_key: 'KLAVIYO_API_KEY' }),
  'actions-linkedin-conversions': spec('linkedIn'),
  'actions-reddit-conversions-api': spec('reddit', {
    ad_account_id: 'REDDIT_PIXEL_ID',
    conversion_token: 'REDDIT_CONVERSION_TOKEN',
  }),
  'actions-braze-cloud': spec('braze', {
    api_key: 'BRAZE_API_KEY',
    app_id: 'BRAZE_APP_ID',
    endpoint: 'BRAZE_REST_ENDPOINT',
  }),
  'actions-amplitude': spec('amplitude', { apiKey: 'AMPLITUDE_API_KEY' }),
  'actions-mixpanel': spec('mixpanel', { projectToken: 'MIXPANEL_PROJECT_TOKEN' }),
  'actions-hubspot-cloud': spec('hubspot'),
  'actions-customerio': spec('customerIo', { siteId: 'CUSTOMER_IO_SITE_ID', apiKey: 'CUSTOMER_IO_API_KEY' }),
  'actions-intercom-cloud': spec('intercom'),
  'actions-iterable': spec('iterable', { apiKey: 'ITERABLE_API_KEY' }),
  'actions-webhook': spec('eventSink'),
  'facebook-pixel': spec('facebook', { pixelId: 'FACEBOOK_PIXEL_ID' }),
  webhooks: spec('eventSink'),
}

export const specNamed = (table: DestinationTable, name: string): DestinationSpec | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** The variables from a destination's settings; the first field that is set counts. */
export function settingValues(
  { fields }: DestinationSpec,
  settings: JsonObject,
  resolve = (text: string) => text,
): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [field, variable] of Object.entries(fields)) {
    const value = resolve(textOf(member(settings, field)).trim())
    // Segment's API masks secrets.
    const isMasked = value.includes('••')
    if (value !== '' && !isMasked && !values[variable]) values[variable] = value
  }
  return values
}
