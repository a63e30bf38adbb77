// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import adjust from './adjust.ts'
import affiliate from './affiliate.ts'
import amazonEventBridge from './amazonEventBridge.ts'
import amazonKinesis from './amazonKinesis.ts'
import appsFlyer from './appsFlyer.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import branch from './branch.ts'
import braze from './braze.ts'
import cj from './cj.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import impact from './impact.ts'
import klaviyo from './klaviyo.ts'
import kochava from './kochava.ts'
import partnerize from './partnerize.ts'
import playground from './playground.ts'
import podscribe from './podscribe.ts'
import rakuten from './rakuten.ts'
import refersion from './refersion.ts'
import rockerbox from './rockerbox.ts'
import sailthru from './sailthru.ts'
import singular from './singular.ts'
import snowplow from './snowplow.ts'
import tiktok from './tiktok.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import webhook from './webhook.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  adjust,
  affiliate,
  amazonEventBridge,
  amazonKinesis,
  appsFlyer,
  autoFormFill,
  awin,
  branch,
  braze,
  cj,
  eventSink,
  everflow,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  impact,
  klaviyo,
  kochava,
  partnerize,
  playground,
  podscribe,
  rakuten,
  refersion,
  rockerbox,
  sailthru,
  singular,
  snowplow,
  tiktok,
  tune,
  twitter,
  universalAds,
  validation,
  webhook,
}
