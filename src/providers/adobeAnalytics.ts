import { eventMappingCheck } from '#provider/form/eventMapping.ts'
import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { truncateBytes } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { pageQuery } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { checkbox, identifier, optional, text } from '#provider/form/variables.ts'
import {
  boughtProducts,
  hostCheck,
  orgCheck,
  productsOf,
  purchaseId,
  suitesCheck,
  visitorOf,
} from './schemas/adobeAnalytics.ts'

export default provider({
  label: 'Adobe Analytics',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developer.adobe.com/analytics-apis/docs/1.4/guides/data-insertion/',
  dashboardUrl: 'https://experience.adobe.com',
  host: 'tenant',

  secrets: {
    ADOBE_ANALYTICS_TRACKING_SERVER: text(
      'Tracking server',
      'Admin, Code Manager: the data collection host of your page code, without https.',
      { placeholder: 'shop.sc.omtrdc.net', check: hostCheck },
    ),
    ADOBE_ANALYTICS_REPORT_SUITE_ID: identifier(
      'Report suite',
      'Admin, Report suites: its id; several are separated by commas.',
      { placeholder: 'shopprod', check: suitesCheck },
    ),
    ADOBE_ANALYTICS_ORG_ID: text(
      'Organisation ID',
      'Experience Cloud, Ctrl+I, Current Org ID: for Experience Cloud ids.',
      { ...optional, placeholder: '53A16ACB5CC1D3760A495C99@AdobeOrg', check: orgCheck },
    ),
    ADOBE_ANALYTICS_MAPPED_EVENTS: text(
      'Events',
      'Pairs of an event name and events of the report suite. Of the others, only events of orders and products are sent.',
      { ...optional, placeholder: '[["Lead", "event12"]]', check: eventMappingCheck },
    ),
    ADOBE_ANALYTICS_TIMESTAMP: checkbox('Send the time', 'Only where the report suite takes timestamps.', optional),
  },

  events: {
    PageView: '',
    ViewContent: 'prodView',
    AddToCart: 'scAdd',
    RemoveFromCart: 'scRemove',
    InitiateCheckout: 'scCheckout',
    Purchase: 'purchase',
  },
  eventMapping: 'ADOBE_ANALYTICS_MAPPED_EVENTS',
  user: { visitorID: plain('userId', nonEmailId), ipAddress: plain('ip'), userAgent: plain('userAgent') },
  captures: [{ query: 'adobe_mc', cookie: 'AMCV_*' }, { cookie: 's_fid' }],
  dedup: 'purchaseID: an order counts once',

  request({ event, data, items, user, value, captured }, secrets, events) {
    const { visitorID, ...browser } = user
    const visitor = visitorOf(captured, visitorID, secrets.ADOBE_ANALYTICS_ORG_ID)
    if (!visitor && !(browser.ipAddress && browser.userAgent)) return { skipped: 'identityMissing' }
    const isPage = event.eventName === 'PageView'
    if (isPage && !event.pageUrl && !event.pageTitle) return { skipped: 'payloadRefused' }
    const isOrder = event.eventName === 'Purchase'
    const request = {
      scXmlVer: '1.0',
      reportSuiteID: secrets.ADOBE_ANALYTICS_REPORT_SUITE_ID,
      ...visitor,
      ...browser,
      pageURL: event.pageUrl,
      pageName: event.pageTitle && truncateBytes(event.pageTitle, 100),
      referrer: event.referrer || undefined,
      ...(!isPage && { linkType: 'o', linkName: truncateBytes(event.eventName, 100), linkURL: event.pageUrl }),
      events: events || undefined,
      products: isOrder ? boughtProducts(items, value) : productsOf(items),
      ...(isOrder && data.orderId && { purchaseID: purchaseId(data.orderId), transactionID: data.orderId }),
      currencyCode: data.currency,
      campaign: pageQuery(event).utm_campaign,
      timestamp: secrets.ADOBE_ANALYTICS_TIMESTAMP === '1' ? epochSeconds(event.timestamp) : undefined,
    }
    return {
      // the two slashes are right: the report suite is named in the body
      url: `https://${secrets.ADOBE_ANALYTICS_TRACKING_SERVER}/b/ss//6`,
      headers: { accept: 'application/xml' },
      xml: { request },
    }
  },

  // a refusal is answered by 200
  responseRules: [{ status: 200, matches: /<status>\s{0,9}FAILURE/i, verdict: 'refused' }],
})
