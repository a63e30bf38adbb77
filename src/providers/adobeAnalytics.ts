import { createHash } from 'node:crypto'
import type { EventItem } from '#contract/event.ts'
import { eventMappingCheck } from '#provider/form/eventMapping.ts'
import { wholePieces } from '#provider/form/items.ts'
import { withoutFloatError } from '#provider/form/money.ts'
import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { truncate, truncateBytes } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { pageQuery, percentDecoded } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { checkbox, identifier, optional, text } from '#provider/form/variables.ts'

const hostCheck = (host: string) =>
  /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,10}$/i.test(host) ? undefined : 'Write the host name alone.'

const suitesCheck = (ids: string) =>
  /^[\w.-]{1,40}(,[\w.-]{1,40}){0,9}$/.test(ids) ? undefined : 'Write ids of report suites, with commas between.'

const orgCheck = (id: string) => (/^\w{1,64}@AdobeOrg$/.test(id) ? undefined : 'Write the id that ends in @AdobeOrg.')

export default provider({
  label: 'Adobe Analytics',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  gvlId: 565,
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
    ViewCart: 'scView',
  },
  eventMapping: 'ADOBE_ANALYTICS_MAPPED_EVENTS',
  user: { visitorID: plain('anonymousId', nonEmailId), ipAddress: plain('ip'), userAgent: plain('userAgent') },
  personId: 'anonymousId',
  captures: [{ query: 'adobe_mc', cookie: 'AMCV_*' }, { cookie: 's_fid' }],
  matchKeys: {
    strong: ['captured.AMCV_*'],
    medium: ['captured.adobe_mc', 'captured.s_fid', 'visitorID'],
  },
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
      // The two slashes are intended: the body names the report suite.
      url: `https://${secrets.ADOBE_ANALYTICS_TRACKING_SERVER}/b/ss//6`,
      headers: { accept: 'application/xml' },
      xml: { request },
    }
  },

  // Adobe also rejects with a 200.
  responseRules: [{ status: 200, matches: /<status>\s{0,9}FAILURE/i, verdict: 'refused' }],
})

/** An Experience Cloud id (ECID), and its organisation if known. */
type Ecid = { ecid: string; orgId?: string }

const ecidIn = (text: string) => /(?:^|\|)MCMID[|=](\d{10,40})(?=\||$)/.exec(text)?.[1]

/** The ECID in the cookie `AMCV_<organisation>@AdobeOrg`, otherwise in the parameter `adobe_mc` of the landing page. */
function ecidOf(captured: CapturedValues, orgId: string | undefined): Ecid | undefined {
  const found = Object.entries(captured).flatMap(([name, { value }]): Ecid[] => {
    const [, cookieOrg] = /^AMCV_(\w{1,64}@AdobeOrg)$/.exec(percentDecoded(name)) ?? []
    const text = percentDecoded(value)
    const ecid = ecidIn(text)
    if (!ecid || (!cookieOrg && name !== 'adobe_mc')) return []
    const [, linkOrg] = /(?:^|\|)MCORGID=(\w{1,64}@AdobeOrg)(?=\||$)/.exec(text) ?? []
    const org = cookieOrg ?? linkOrg
    return [{ ecid, ...(org && { orgId: org }) }]
  })
  const own = orgId ? found.filter((each) => each.orgId === undefined || each.orgId === orgId) : found
  const [first] = own.sort((one, other) => Number(other.orgId !== undefined) - Number(one.orgId !== undefined))
  return first && { ...first, ...(orgId && { orgId }) }
}

/**
 * The visitor's id, of only one kind, because a second one would create a second visitor: the Experience Cloud id,
 * otherwise the fallback id of the page code, otherwise the user id. Undefined if none is known.
 */
function visitorOf(captured: CapturedValues, userId: string | undefined, org: string | undefined) {
  const { ecid, orgId } = ecidOf(captured, org) ?? {}
  if (ecid) return { marketingCloudVisitorID: ecid, marketingCloudOrgId: orgId }
  const fallbackVisitorId = captured.s_fid?.value
  if (fallbackVisitorId) return { fallbackVisitorId }
  return userId ? { visitorID: truncate(userId, 100) } : undefined
}

/** A value in a product string without its separators `;` `,` and `|`. At most 100 characters. */
const part = (value: string | undefined) => (value ?? '').replace(/[;,|]/g, ' ').trim().slice(0, 100)

/** The viewed products, each `category;product`, joined by commas. Undefined if there are no items. */
const productsOf = (items: readonly EventItem[]): string | undefined =>
  items
    .slice(0, mostProducts)
    .map(({ id, sku, title, category }) => `${part(category)};${part(id ?? sku ?? title)}`)
    .join(',') || undefined

const mostProducts = 100

/** One product for amounts without a product of their own: the whole order, or the items beyond the maximum. */
const order = (quantity: number, total: number) => `;Order;${quantity};${withoutFloatError(total)}`

/**
 * The products of an order, each `category;product;quantity;total`. Without items, or with unknown prices, the order
 * becomes one additional product, and the items beyond the maximum become one: their value would be lost otherwise.
 */
function boughtProducts(items: readonly EventItem[], value: number | undefined): string | undefined {
  const bought = wholePieces(items)
  const rest = bought.slice(mostProducts)
  const isPriced = bought.some(({ item_price }) => item_price !== undefined)
  const rows = bought.slice(0, mostProducts).map((item) => {
    const { item_price: price, quantity } = item
    return `${productsOf([item])};${quantity};${price === undefined ? '' : withoutFloatError(price * quantity)}`
  })
  const pieces = rest.reduce((sum, { quantity }) => sum + quantity, 0)
  const total = rest.reduce((sum, { item_price = 0, quantity }) => sum + item_price * quantity, 0)
  if (rest.length > 0 && isPriced) rows.push(order(pieces, total))
  if (!isPriced && value !== undefined) rows.push(order(1, value))
  return rows.join(',') || undefined
}

/**
 * The order id in at most 20 bytes: Adobe truncates longer ids, and then counts two orders with the same beginning as
 * one. A longer id is replaced by the beginning of its SHA-1.
 */
const purchaseId = (orderId: string): string =>
  Buffer.byteLength(orderId) <= 20 ? orderId : createHash('sha1').update(orderId).digest('hex').slice(0, 20)
