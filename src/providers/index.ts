// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import affiliate from './affiliate.ts'
import airship from './airship.ts'
import amazonKinesis from './amazonKinesis.ts'
import attentive from './attentive.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import braze from './braze.ts'
import brevo from './brevo.ts'
import cj from './cj.ts'
import cleverTap from './cleverTap.ts'
import drip from './drip.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import impact from './impact.ts'
import iterable from './iterable.ts'
import klaviyo from './klaviyo.ts'
import moEngage from './moEngage.ts'
import omnisend from './omnisend.ts'
import partnerize from './partnerize.ts'
import playground from './playground.ts'
import postscript from './postscript.ts'
import rakuten from './rakuten.ts'
import refersion from './refersion.ts'
import sailthru from './sailthru.ts'
import snowplow from './snowplow.ts'
import tiktok from './tiktok.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import webEngage from './webEngage.ts'
import webhook from './webhook.ts'
import yotpo from './yotpo.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  affiliate,
  airship,
  amazonKinesis,
  attentive,
  autoFormFill,
  awin,
  braze,
  brevo,
  cj,
  cleverTap,
  drip,
  eventSink,
  everflow,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  impact,
  iterable,
  klaviyo,
  moEngage,
  omnisend,
  partnerize,
  playground,
  postscript,
  rakuten,
  refersion,
  sailthru,
  snowplow,
  tiktok,
  tune,
  twitter,
  universalAds,
  validation,
  webEngage,
  webhook,
  yotpo,
}
