import type { EventItem } from '#contract/event.ts'
import { wholePieces } from '#provider/form/items.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { checkbox, identifier, optional, password, text } from '#provider/form/variables.ts'
import { clickPair, clickWindowMs, customerStatus, lastClick, leadEvent } from '#provider/vendors/affiliate.ts'

/** Awin joins the fields of a basket row with `|`. */
const withoutPipes = (value: string | undefined) => value?.replaceAll('|', ' ')

const basketRow = (commissionGroupCode: string) => (item: EventItem) => {
  const { id, sku, title, category, item_price: price, quantity = 1 } = item
  if (!id || price === undefined) return []
  const name = withoutPipes(title ?? id)
  return [{ id, name, price, quantity, sku: sku ?? id, category: withoutPipes(category), commissionGroupCode }]
}

const withTestFlag = (request: RequestSpec): RequestSpec => {
  const { orders } = request.json as { orders: object[] }
  return { ...request, json: { orders: orders.map((order) => ({ ...order, isTest: true })) } }
}

export default provider({
  label: 'Awin',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 907,
  docs: 'https://help.awin.com/apidocs/conversion-api',
  dashboardUrl: 'https://ui.awin.com',
  links: {
    onboarding: 'https://help.awin.com/developers/docs/direct-s2s',
    faq: 'https://help.awin.com/developers/docs/parameter-guidance',
  },
  host: 'fixed',

  secrets: {
    AWIN_ADVERTISER_ID: identifier('Advertiser ID', 'The number beside the name of your programme.', {
      placeholder: '12345',
      check: digitsCheck,
    }),
    AWIN_API_KEY: password('Conversion API key', 'Toolbox, API Credentials, Conversion API: a key of its own.'),
    AWIN_COMMISSION_GROUP: text('Commission group', 'Its code: Commission Manager, Commission Groups.', {
      ...optional,
      default: 'DEFAULT',
    }),
    AWIN_TEST_MODE: checkbox('Test mode', 'Orders are sent as tests and are not credited.', optional),
    AWIN_LEAD_EVENT: leadEvent,
  },

  events: { Purchase: 'order', Lead: 'lead' },
  user: {},
  personId: 'none',
  captures: [{ query: 'awc', cookie: 'awc' }, { cookie: 'awin_awc' }, { query: 'gclid' }, { query: 'awaid' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured.awc', 'captured.awin_awc'],
  },
  dedup: 'orders[].orderReference, for each advertiser',
  refunds:
    'Awin changes a transaction for a token of a user who names its date (https://help.awin.com/apidocs/approve-decline-amend-batch-transactions-for-a-given-advertiser)',

  request(context, secrets, name) {
    const { event, data, items, orderId, coupon, value } = context
    if (name === 'lead' && secrets.AWIN_LEAD_EVENT !== 'Lead') return { skipped: 'filtered' }
    // a click that came through Google Ads: https://help.awin.com/developers/docs/parameter-guidance
    const ads = clickPair(context, 'awaid', 'gclid')
    const own = lastClick(context, ['awc', 'awin_awc'])
    const click = ads && (!own || ads.at > own.at) ? `gclid_${ads.first}_${ads.second}` : own?.value
    // Awin attributes an order by click or by voucher.
    if (!click && !coupon) return { skipped: 'identityMissing' }
    const amount = name === 'lead' ? 1 : value
    if (amount === undefined) return { skipped: 'payloadRefused' }
    const code = secrets.AWIN_COMMISSION_GROUP
    const basket = name === 'lead' ? [] : wholePieces(items).flatMap(basketRow(code))
    const order = {
      orderReference: orderId.slice(0, 50),
      amount,
      channel: 'aw',
      currency: data.currency,
      awc: click,
      voucher: coupon,
      isTest: secrets.AWIN_TEST_MODE === '1',
      transactionTime: epochSeconds(event.timestamp),
      customerAcquisition: customerStatus(data, { isNew: 'NEW', isReturning: 'RETURNING' }),
      commissionGroups: [{ code, amount }],
      basket: basket.length > 0 ? basket : undefined,
    }
    return {
      url: `https://api.awin.com/s2s/advertiser/${encodeURIComponent(secrets.AWIN_ADVERTISER_ID)}/orders`,
      headers: { 'x-api-key': secrets.AWIN_API_KEY },
      json: { orders: [order] },
    }
  },
  batch: { listPath: 'orders', maxEvents: 1_000 },
  toTestMode: withTestFlag,

  errorMessage: 'failedOrders.0.errors.0.message',
  responseRules: [
    // A 206 names failed orders by reference and not by row. Splitting the batch finds them, and Awin ignores a
    // repeated reference.
    { status: 206, path: 'failedOrders.0', verdict: 'refused' },
    { status: 403, verdict: 'keyRejected' },
  ],
})
