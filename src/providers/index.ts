// written by `npm run providers`
import type { ProviderId } from '#contract/providerIds.ts'
import type { Provider } from '#provider/form/provider.ts'
import activeCampaign from './activeCampaign.ts'
import affiliate from './affiliate.ts'
import amazonKinesis from './amazonKinesis.ts'
import autoFormFill from './autoFormFill.ts'
import awin from './awin.ts'
import bloomreach from './bloomreach.ts'
import braze from './braze.ts'
import cj from './cj.ts'
import customerIo from './customerIo.ts'
import dotdigital from './dotdigital.ts'
import emarsys from './emarsys.ts'
import eventSink from './eventSink.ts'
import everflow from './everflow.ts'
import facebook from './facebook.ts'
import googleAdsClicks from './googleAdsClicks.ts'
import googleAnalytics4 from './googleAnalytics4.ts'
import hubspot from './hubspot.ts'
import impact from './impact.ts'
import intercom from './intercom.ts'
import klaviyo from './klaviyo.ts'
import listrak from './listrak.ts'
import mailchimp from './mailchimp.ts'
import oneSignal from './oneSignal.ts'
import partnerize from './partnerize.ts'
import playground from './playground.ts'
import rakuten from './rakuten.ts'
import refersion from './refersion.ts'
import sailthru from './sailthru.ts'
import salesforceMarketingCloud from './salesforceMarketingCloud.ts'
import snowplow from './snowplow.ts'
import tiktok from './tiktok.ts'
import tune from './tune.ts'
import twitter from './twitter.ts'
import universalAds from './universalAds.ts'
import validation from './validation.ts'
import webhook from './webhook.ts'

/** The providers that this build has. */
export const providers: Readonly<Partial<Record<ProviderId, Provider>>> = {
  activeCampaign,
  affiliate,
  amazonKinesis,
  autoFormFill,
  awin,
  bloomreach,
  braze,
  cj,
  customerIo,
  dotdigital,
  emarsys,
  eventSink,
  everflow,
  facebook,
  googleAdsClicks,
  googleAnalytics4,
  hubspot,
  impact,
  intercom,
  klaviyo,
  listrak,
  mailchimp,
  oneSignal,
  partnerize,
  playground,
  rakuten,
  refersion,
  sailthru,
  salesforceMarketingCloud,
  snowplow,
  tiktok,
  tune,
  twitter,
  universalAds,
  validation,
  webhook,
}
