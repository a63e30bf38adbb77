import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { identifier } from '#provider/form/variables.ts'
import { clickWindowMs, customerStatus, lastClick, leadEvent } from '#provider/vendors/affiliate.ts'
import { gatewayClick, leadRow, orderRows } from './schemas/rakuten.ts'

/** `20231114_2213`, in UTC: the vendor's documents name no zone. */
const minuteText = (ms: number) => new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '_').slice(0, 13)

const joined = (values: readonly (string | number)[]) =>
  values.map((value) => `${value}`.replaceAll('|', ' ')).join('|')

// no page of the vendor is public: the fields are those of several public shop integrations of the same address
export default provider({
  label: 'Rakuten Advertising',
  stage: 'draft',
  consent: ['advertising', 'functional'],
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
  user: { custid: plain('userId', nonEmailId) },
  requires: ['captured.ranSiteID', 'captured.siteID', 'captured.rakuten_site_id', 'captured.rmStore'],
  captures: [
    { query: 'ranSiteID', cookie: 'rmStore' },
    { query: 'siteID', cookie: 'rakuten_site_id' },
  ],
  clickWindowMs,
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

  // 200 is no success by itself: the XML tells
  responseRules: [
    { status: 200, matches: /<error>[^<]*access denied/i, verdict: 'keyRejected' },
    { status: 200, matches: /<error>/i, verdict: 'refused' },
    { status: 200, matches: /<bad>\s{0,9}[1-9]/i, verdict: 'refused' },
    { status: 400, verdict: 'keyRejected' },
  ],
})
