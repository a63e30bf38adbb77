// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import affiliate from './affiliate.ts'
import amazonKinesis from './amazonKinesis.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import bing from './bing.ts'
import braze from './braze.ts'
import cj from './cj.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import impact from './impact.ts'
import klaviyo from './klaviyo.ts'
import linkedIn from './linkedIn.ts'
import nextdoor from './nextdoor.ts'
import openAiAds from './openAiAds.ts'
import partnerize from './partnerize.ts'
import pinterest from './pinterest.ts'
import playground from './playground.ts'
import quora from './quora.ts'
import rakuten from './rakuten.ts'
import reddit from './reddit.ts'
import refersion from './refersion.ts'
import rokt from './rokt.ts'
import sailthru from './sailthru.ts'
import snapchat from './snapchat.ts'
import snowplow from './snowplow.ts'
import spotify from './spotify.ts'
import tiktok from './tiktok.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import vibe from './vibe.ts'
import webhook from './webhook.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  affiliate,
  amazonKinesis,
  autoFormFill,
  awin,
  bing,
  braze,
  cj,
  eventSink,
  everflow,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  impact,
  klaviyo,
  linkedIn,
  nextdoor,
  openAiAds,
  partnerize,
  pinterest,
  playground,
  quora,
  rakuten,
  reddit,
  refersion,
  rokt,
  sailthru,
  snapchat,
  snowplow,
  spotify,
  tiktok,
  tune,
  twitter,
  universalAds,
  validation,
  vibe,
  webhook,
}
