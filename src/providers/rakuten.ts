import type { EventData, EventItem } from '#contract/event.ts'
import { wholePieces } from '#provider/form/items.ts'
import { minorUnits } from '#provider/form/money.ts'
import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { percentDecoded } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { identifier } from '#provider/form/variables.ts'
import { type Click, clickWindowMs, customerStatus, lastClick, leadEvent } from '#provider/vendors/affiliate.ts'

/** `20231114_2213`, in UTC: the vendor's documents state no time zone. */
const minuteText = (ms: number) => new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 13)

const joined = (values: readonly (string | number)[]) =>
  values.map((value) => `${value}`.replaceAll('|', ' ')).join('|')

// The vendor has no public documentation. The fields are from several public shop integrations for the same endpoint.
export default provider({
  label: 'Rakuten Advertising',
  stage: 'draft',
  consent: ['advertising', 'functional'],
  gvlId: 60,
  docs: 'https://www.rudderstack.com/docs/destinations/streaming-destinations/rakuten/',
  host: 'fixed',
  hasActivation: true,

  secrets: {
    RAKUTEN_MID: identifier(
      'Merchant ID (MID)',
      'The number of your programme. Rakuten has to allow server calls for it.',
      {
        placeholder: '12345',
        check: digitsCheck,
      },
    ),
    RAKUTEN_LEAD_EVENT: leadEvent,
  },

  events: { Purchase: 'order', Lead: 'lead' },
  user: { custid: plain('customerId', nonEmailId) },
  personId: 'customerId',
  requires: ['captured.ranSiteID', 'captured.siteID', 'captured.rakuten_site_id', 'captured.rmStore'],
  captures: [
    { query: 'ranSiteID', cookie: 'rmStore' },
    { query: 'siteID', cookie: 'rakuten_site_id' },
  ],
  clickWindowMs,
  matchKeys: {
    strong: ['custid', 'captured.ranSiteID', 'captured.rmStore', 'captured.siteID', 'captured.rakuten_site_id'],
  },
  dedup: 'ord, for each mid',
  refunds:
    'the address of orders takes none; Rakuten takes them by its Advertiser Transaction API, with a client that it issues for it',

  request(context, secrets, name) {
    const { event, data, items, orderId, coupon, user, value } = context
    if (name === 'lead' && secrets.RAKUTEN_LEAD_EVENT !== 'Lead') return { skipped: 'filtered' }
    const click = lastClick(context, ['ranSiteID', 'siteID', 'rakuten_site_id'])
    const gateway = gatewayClick(context.captured.rmStore, secrets.RAKUTEN_MID)
    const last = gateway && (!click || gateway.at > click.at) ? gateway : click
    if (!last) return { skipped: 'identityMissing' }
    const rows = name === 'lead' ? [leadRow] : orderRows(items, data, value)
    return {
      url: 'https://track.linksynergy.com/ep',
      headers: { accept: 'text/xml' },
      query: {
        mid: secrets.RAKUTEN_MID,
        ord: orderId,
        tr: last.value,
        land: minuteText(last.at),
        date: minuteText(event.timestamp),
        cur: data.currency,
        skulist: joined(rows.map(({ id }) => id)),
        namelist: joined(rows.map(({ title }) => title)),
        qlist: joined(rows.map(({ quantity }) => quantity)),
        amtlist: joined(rows.map(({ amount }) => amount)),
        coupon,
        ...user,
        custstatus: customerStatus(data, { isNew: 'New', isReturning: 'Existing' }),
        xml: '1',
      },
    }
  },

  // A 200 alone is no success: the XML body shows the result.
  responseRules: [
    { status: 200, matches: /<error>[^<]*access denied/i, verdict: 'keyRejected' },
    { status: 200, matches: /<error>/i, verdict: 'refused' },
    { status: 200, matches: /<bad>\s{0,9}[1-9]/i, verdict: 'refused' },
    { status: 400, verdict: 'keyRejected' },
  ],
})

/** A line of an order. `amount`: of the whole line, in minor units of the currency. */
type Row = { id: string; title: string; quantity: number; amount: number }

const leadRow: Row = { id: 'Lead', title: 'Lead', quantity: 1, amount: 1 }

/** A request is one URL, so a longer order becomes one line. */
const mostRows = 100

/**
 * The rows with the discount distributed in proportion to their amounts. The rows add up exactly to the discounted
 * total.
 */
function discounted(rows: readonly Row[], discount: number): Row[] {
  const total = rows.reduce((sum, { amount }) => sum + amount, 0)
  if (!(discount > 0) || discount > total) return [...rows]
  let seen = 0
  let taken = 0
  return rows.map((row) => {
    seen += row.amount
    const due = Math.round((discount * seen) / total) - taken
    taken += due
    return { ...row, amount: row.amount - due }
  })
}

/** The lines of an order. A single line if an item has no id or no price. */
function orderRows(
  items: readonly EventItem[],
  { currency, discount = 0 }: EventData,
  value: number | undefined,
): Row[] {
  const bought = wholePieces(items)
  const isItemised = bought.length > 0 && bought.every(({ id, item_price }) => id && item_price !== undefined)
  const whole = { id: 'ORDER', title: 'Order', quantity: 1 }
  if (!isItemised) return [{ ...whole, amount: minorUnits(value ?? 0, currency) }]
  const rows = bought.map(({ id, title = '', item_price, quantity }) => {
    return { id: id!, title, quantity, amount: minorUnits(item_price! * quantity, currency) }
  })
  const net = discounted(rows, minorUnits(discount, currency))
  return net.length > mostRows ? [{ ...whole, amount: net.reduce((sum, { amount }) => sum + amount, 0) }] : net
}

/** The click that the network's gateway stores in the cookie rmStore: `amid:<merchant>|atrv:<site>|ald:<time>`. */
function gatewayClick(cookie: CapturedValues[string] | undefined, mid: string): Click | undefined {
  const members = percentDecoded(cookie?.value ?? '').split('|')
  const fields = Object.fromEntries(members.map((each) => each.split(/:(.*)/s, 2)))
  const isOwn = !fields.amid || fields.amid === mid
  return cookie && fields.atrv && isOwn ? { value: fields.atrv, at: cookie.at } : undefined
}
