import type { ProviderId } from '#contract/providerIds.ts'
import { fitOf } from './match.ts'

/** The kinds of providers, in the order of the catalogue. */
export const providerKinds = ['advertising', 'analytics', 'messaging', 'affiliate', 'app', 'data', 'own'] as const
export type ProviderKind = (typeof providerKinds)[number]

const idsOf: Record<ProviderKind, string> = {
  advertising:
    'facebook googleAdsClicks floodlight tiktok bing pinterest snapchat linkedIn twitter reddit amazonAds criteo taboola outbrain adRoll appLovin quora nextdoor spotify stackAdapt tradeDesk yahooDsp vibe openAiAds universalAds kevel rokt podscribe rockerbox',
  analytics:
    'googleAnalytics4 adobeAnalytics amplitude mixpanel heap postHog piwikPro matomo plausible snowplow yandexMetrica fullStory statsig',
  messaging:
    'klaviyo mailchimp braze brevo customerIo activeCampaign hubspot iterable intercom omnisend attentive postscript listrak drip dotdigital emarsys sailthru salesforceMarketingCloud bloomreach cleverTap moEngage webEngage airship oneSignal yotpo',
  affiliate: 'affiliate awin cj impact partnerize rakuten everflow tune refersion',
  app: 'adjust appsFlyer branch kochava singular',
  data: 'segment rudderStack eventSink amazonKinesis amazonEventBridge gcpPubSub',
  own: 'playground webhook validation autoFormFill',
}

const kinds = new Map<string, ProviderKind>(
  providerKinds.flatMap((kind) => idsOf[kind].split(' ').map((id): [string, ProviderKind] => [id, kind])),
)
const kindOf = (id: ProviderId | string): ProviderKind => kinds.get(id) ?? 'own'

/** Search words for a kind, besides its name. */
const kindWords: Record<ProviderKind, string> = {
  advertising: 'ads, advertising, conversions api, capi, pixel, remarketing, retargeting, werbung, anzeigen',
  analytics: 'analytics, statistics, web analytics, product analytics, statistik',
  messaging: 'email, e-mail, mail, newsletter, sms, push, crm, marketing automation',
  affiliate: 'affiliate, partner, postback, commission, provision',
  app: 'mobile attribution, mmp, app install',
  data: 'data warehouse, queue, stream, cdp, storage, data lake',
  own: 'custom code, own server, http, javascript',
}

/** Search words for a provider, besides its label and id. */
const synonyms: Partial<Record<ProviderId, string>> = {
  facebook: 'meta, instagram, conversions api, capi, meta pixel, fb',
  googleAnalytics4: 'ga4, ga, google analytics, measurement protocol, firebase',
  googleAdsClicks: 'google ads, adwords, enhanced conversions, gclid, offline conversions',
  floodlight: 'campaign manager, cm360, dv360, doubleclick, google marketing platform',
  tiktok: 'events api, tiktok pixel, tt',
  bing: 'microsoft ads, uet, msclkid',
  twitter: 'x ads, x conversions',
  snapchat: 'snap, conversions api, capi',
  pinterest: 'conversions api',
  reddit: 'conversions api',
  linkedIn: 'insight tag, conversions api',
  amazonAds: 'amazon conversions api',
  tradeDesk: 'ttd, the trade desk',
  yahooDsp: 'yahoo dsp, verizon media',
  openAiAds: 'chatgpt ads',
  universalAds: 'comcast, tv ads',
  piwikPro: 'piwik',
  yandexMetrica: 'yandex metrika',
  emarsys: 'sap emarsys',
  salesforceMarketingCloud: 'sfmc, exacttarget',
  brevo: 'sendinblue',
  customerIo: 'customer io',
  yotpo: 'reviews, loyalty',
  cj: 'commission junction',
  rakuten: 'linkshare, rakuten advertising',
  tune: 'hasoffers',
  eventSink: 'http, ndjson, s3, own server, webhook out',
  amazonKinesis: 'aws, kinesis',
  amazonEventBridge: 'aws, eventbridge',
  gcpPubSub: 'google cloud, pubsub, bigquery',
  webhook: 'incoming webhook, http endpoint',
  playground: 'custom code, javascript channel, script',
  validation: 'test, debug',
}

/** Two letters for a provider: the initials of its first two words, or the first two letters of its only word. */
export function monogramOf(label: string): string {
  const [first = '', second] = label.match(/[\p{L}\p{N}]+/gu) ?? []
  return (second === undefined ? first.slice(0, 2) : `${first[0]}${second[0]}`).replace(/^./u, (letter) =>
    letter.toUpperCase(),
  )
}

type Listed = { value?: string | undefined; label?: string | undefined }

/** How well a provider matches the query: its name counts more than a synonym, and a synonym more than a word of its kind. */
export function providerFit({ value = '', label = '' }: Listed, query: string): number {
  const own = Math.max(fitOf(label, query), fitOf(value, query))
  if (own > 0) return own + 2
  const of = (texts: string | undefined) => Math.max(0, ...(texts?.split(', ') ?? []).map((text) => fitOf(text, query)))
  const bySynonym = of(synonyms[value as ProviderId])
  if (bySynonym > 1) return 2
  return of(kindWords[kindOf(value)]) > 1 ? 1 : 0
}

/** The matching providers by kind, in the order of the catalogue; within a kind the best match first, then by name. */
export function catalogue<Row extends Listed>(providers: readonly Row[], query: string) {
  const found = providers
    .map((provider) => ({ provider, fit: providerFit(provider, query) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit || (one.provider.label ?? '').localeCompare(other.provider.label ?? ''))
  return providerKinds
    .map((kind) => {
      const own = found.filter(({ provider }) => kindOf(provider.value ?? '') === kind)
      return { kind, best: own[0]?.fit ?? 0, providers: own.map(({ provider }) => provider) }
    })
    .filter((group) => group.providers.length > 0)
    .sort((one, other) => (query.trim() === '' ? 0 : other.best - one.best))
}
