import type { ProviderId } from '#contract/providerIds.ts'
import { amazonKinesis } from './amazonKinesis.ts'
import { braze } from './braze.ts'
import { cj } from './cj.ts'
import { facebook } from './facebook.ts'
import { googleAdsClicks } from './googleAdsClicks.ts'
import { googleAnalytics4 } from './googleAnalytics4.ts'
import { impact } from './impact.ts'
import { klaviyo } from './klaviyo.ts'
import { sailthru } from './sailthru.ts'
import { snowplow } from './snowplow.ts'
import { tiktok } from './tiktok.ts'
import { twitter } from './twitter.ts'
import type { MockVendor } from './vendor.ts'

/** Whom there is a stand-in of, by provider. */
export const vendors: Readonly<Partial<Record<ProviderId, MockVendor>>> = {
  amazonKinesis,
  braze,
  cj,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  impact,
  klaviyo,
  sailthru,
  snowplow,
  tiktok,
  twitter,
}
