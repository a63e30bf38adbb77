// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import activeCampaign from './activeCampaign.ts'
import adjust from './adjust.ts'
import adobeAnalytics from './adobeAnalytics.ts'
import adRoll from './adRoll.ts'
import affiliate from './affiliate.ts'
import airship from './airship.ts'
import amazonAds from './amazonAds.ts'
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
import cleverTap from './cleverTap.ts'
import criteo from './criteo.ts'
import customerIo from './customerIo.ts'
import dotdigital from './dotdigital.ts'
import drip from './drip.ts'
import emarsys from './emarsys.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import floodlight from './floodlight.ts'
import fullStory from './fullStory.ts'
import gcpPubSub from './gcpPubSub.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import heap from './heap.ts'
import hubspot from './hubspot.ts'
import impact from './impact.ts'
import intercom from './intercom.ts'
import iterable from './iterable.ts'
import kevel from './kevel.ts'
import klaviyo from './klaviyo.ts'
import kochava from './kochava.ts'
import linkedIn from './linkedIn.ts'
import listrak from './listrak.ts'
import mailchimp from './mailchimp.ts'
import matomo from './matomo.ts'
import mixpanel from './mixpanel.ts'
import moEngage from './moEngage.ts'
import nextdoor from './nextdoor.ts'
import omnisend from './omnisend.ts'
import oneSignal from './oneSignal.ts'
import openAiAds from './openAiAds.ts'
import outbrain from './outbrain.ts'
import partnerize from './partnerize.ts'
import pinterest from './pinterest.ts'
import piwikPro from './piwikPro.ts'
import plausible from './plausible.ts'
import playground from './playground.ts'
import podscribe from './podscribe.ts'
import postHog from './postHog.ts'
import postscript from './postscript.ts'
import quora from './quora.ts'
import rakuten from './rakuten.ts'
import reddit from './reddit.ts'
import refersion from './refersion.ts'
import rockerbox from './rockerbox.ts'
import rokt from './rokt.ts'
import rudderStack from './rudderStack.ts'
import sailthru from './sailthru.ts'
import salesforceMarketingCloud from './salesforceMarketingCloud.ts'
import segment from './segment.ts'
import singular from './singular.ts'
import snapchat from './snapchat.ts'
import snowplow from './snowplow.ts'
import spotify from './spotify.ts'
import stackAdapt from './stackAdapt.ts'
import statsig from './statsig.ts'
import taboola from './taboola.ts'
import tiktok from './tiktok.ts'
import tradeDesk from './tradeDesk.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import vibe from './vibe.ts'
import webEngage from './webEngage.ts'
import webhook from './webhook.ts'
import yahooDsp from './yahooDsp.ts'
import yandexMetrica from './yandexMetrica.ts'
import yotpo from './yotpo.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  activeCampaign,
  adjust,
  adobeAnalytics,
  adRoll,
  affiliate,
  airship,
  amazonAds,
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
  cleverTap,
  criteo,
  customerIo,
  dotdigital,
  drip,
  emarsys,
  eventSink,
  everflow,
  facebook,
  floodlight,
  fullStory,
  gcpPubSub,
  googleAdsClicks,
  googleAnalytics4,
  heap,
  hubspot,
  impact,
  intercom,
  iterable,
  kevel,
  klaviyo,
  kochava,
  linkedIn,
  listrak,
  mailchimp,
  matomo,
  mixpanel,
  moEngage,
  nextdoor,
  omnisend,
  oneSignal,
  openAiAds,
  outbrain,
  partnerize,
  pinterest,
  piwikPro,
  plausible,
  playground,
  podscribe,
  postHog,
  postscript,
  quora,
  rakuten,
  reddit,
  refersion,
  rockerbox,
  rokt,
  rudderStack,
  sailthru,
  salesforceMarketingCloud,
  segment,
  singular,
  snapchat,
  snowplow,
  spotify,
  stackAdapt,
  statsig,
  taboola,
  tiktok,
  tradeDesk,
  tune,
  twitter,
  universalAds,
  validation,
  vibe,
  webEngage,
  webhook,
  yahooDsp,
  yandexMetrica,
  yotpo,
}
