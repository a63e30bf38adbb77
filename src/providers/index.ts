// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import adRoll from './adRoll.ts'
import affiliate from './affiliate.ts'
import amazonAds from './amazonAds.ts'
import amazonKinesis from './amazonKinesis.ts'
import appLovin from './appLovin.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import braze from './braze.ts'
import cj from './cj.ts'
import criteo from './criteo.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import impact from './impact.ts'
import kevel from './kevel.ts'
import klaviyo from './klaviyo.ts'
import outbrain from './outbrain.ts'
import partnerize from './partnerize.ts'
import playground from './playground.ts'
import rakuten from './rakuten.ts'
import refersion from './refersion.ts'
import sailthru from './sailthru.ts'
import snowplow from './snowplow.ts'
import stackAdapt from './stackAdapt.ts'
import taboola from './taboola.ts'
import tiktok from './tiktok.ts'
import tradeDesk from './tradeDesk.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import webhook from './webhook.ts'
import yahooDsp from './yahooDsp.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  adRoll,
  affiliate,
  amazonAds,
  amazonKinesis,
  appLovin,
  autoFormFill,
  awin,
  braze,
  cj,
  criteo,
  eventSink,
  everflow,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  impact,
  kevel,
  klaviyo,
  outbrain,
  partnerize,
  playground,
  rakuten,
  refersion,
  sailthru,
  snowplow,
  stackAdapt,
  taboola,
  tiktok,
  tradeDesk,
  tune,
  twitter,
  universalAds,
  validation,
  webhook,
  yahooDsp,
}
