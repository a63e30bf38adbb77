// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import adjust from './adjust.ts'
import adobeAnalytics from './adobeAnalytics.ts'
import affiliate from './affiliate.ts'
import amazonEventBridge from './amazonEventBridge.ts'
import amazonKinesis from './amazonKinesis.ts'
import amplitude from './amplitude.ts'
import appLovin from './appLovin.ts'
import appsFlyer from './appsFlyer.ts'
import attentive from './attentive.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import bing from './bing.ts'
import bloomreach from './bloomreach.ts'
import branch from './branch.ts'
import braze from './braze.ts'
import brevo from './brevo.ts'
import cj from './cj.ts'
import customerIo from './customerIo.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import gcpPubSub from './gcpPubSub.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import hubspot from './hubspot.ts'
import impact from './impact.ts'
import kevel from './kevel.ts'
import klaviyo from './klaviyo.ts'
import kochava from './kochava.ts'
import linkedIn from './linkedIn.ts'
import mixpanel from './mixpanel.ts'
import omnisend from './omnisend.ts'
import oneSignal from './oneSignal.ts'
import outbrain from './outbrain.ts'
import partnerize from './partnerize.ts'
import pinterest from './pinterest.ts'
import playground from './playground.ts'
import podscribe from './podscribe.ts'
import postscript from './postscript.ts'
import rakuten from './rakuten.ts'
import reddit from './reddit.ts'
import refersion from './refersion.ts'
import rockerbox from './rockerbox.ts'
import rudderStack from './rudderStack.ts'
import sailthru from './sailthru.ts'
import segment from './segment.ts'
import singular from './singular.ts'
import snapchat from './snapchat.ts'
import snowplow from './snowplow.ts'
import stackAdapt from './stackAdapt.ts'
import taboola from './taboola.ts'
import tiktok from './tiktok.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import webhook from './webhook.ts'
import yandexMetrica from './yandexMetrica.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  adjust,
  adobeAnalytics,
  affiliate,
  amazonEventBridge,
  amazonKinesis,
  amplitude,
  appLovin,
  appsFlyer,
  attentive,
  autoFormFill,
  awin,
  bing,
  bloomreach,
  branch,
  braze,
  brevo,
  cj,
  customerIo,
  eventSink,
  everflow,
  facebook,
  gcpPubSub,
  googleAdsClicks,
  googleAnalytics4,
  hubspot,
  impact,
  kevel,
  klaviyo,
  kochava,
  linkedIn,
  mixpanel,
  omnisend,
  oneSignal,
  outbrain,
  partnerize,
  pinterest,
  playground,
  podscribe,
  postscript,
  rakuten,
  reddit,
  refersion,
  rockerbox,
  rudderStack,
  sailthru,
  segment,
  singular,
  snapchat,
  snowplow,
  stackAdapt,
  taboola,
  tiktok,
  tune,
  twitter,
  universalAds,
  validation,
  webhook,
  yandexMetrica,
}
