import { totalQuantity } from '#provider/form/items.ts'
import { provider } from '#provider/form/provider.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { commaList, eventMapping, identifier, optional, text } from '#provider/form/variables.ts'
import { clickInParam, clickParamCheck } from '#provider/vendors/clickParam.ts'

const api = 'https://trc.taboola.com'

// A postback has no test mode. For a test click id, see Tracking, Conversions, Test Events in Realize.
export default provider({
  label: 'Taboola',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 42,
  docs: 'https://developers.taboola.com/pixel/docs/the-postback-url',
  dashboardUrl: 'https://ads.realizeperformance.com/',
  links: {
    onboarding: 'https://developers.taboola.com/pixel/docs/s2s-manual-integration',
    introduction: 'https://developers.taboola.com/pixel/docs/conversion-tracking-overview',
  },
  host: 'fixed',

  secrets: {
    TABOOLA_QUERY_KEY: text(
      'Click ID parameter',
      'The name of the URL parameter that holds {click_id} in the tracking code of your campaigns: Realize, Campaigns, Tracking code.',
      { placeholder: 'tblci', check: clickParamCheck },
    ),
    TABOOLA_MAPPED_EVENTS: eventMapping(
      'the Event Name (not the conversion name) of Realize, Tracking, Conversions. Upper and lower case count',
      'make_purchase',
    ),
    TABOOLA_ALLOWED_EVENTS: text(
      'Allowed events',
      'Deprecated. Names of events, separated by commas. Where it is set, only these of the mapped events are sent.',
      { ...optional, input: 'list', placeholder: 'Purchase, Lead' },
    ),
    TABOOLA_ACCOUNT_ID: identifier(
      'Account ID',
      'The number of your account: Realize, Account settings. With it conversions go in groups of up to 1,000, with their time.',
      { ...optional, placeholder: '1234567', check: digitsCheck },
    ),
  },

  events: {},
  eventMapping: 'TABOOLA_MAPPED_EVENTS',
  user: {},
  personId: 'none',
  captures: [{ query: 'tblci', cookie: 'taboola_cid' }],
  clickParam: 'TABOOLA_QUERY_KEY',
  matchKeys: {
    strong: ['captured.tblci', 'captured.taboola_cid'],
  },
  dedup: 'none by id: one click id, name and orderid count once within a minute',

  request(context, secrets, name) {
    const { event, data, items, value, captured } = context
    const allowed = commaList(secrets.TABOOLA_ALLOWED_EVENTS)
    if (!name || (allowed.length > 0 && !allowed.includes(event.eventName))) return { skipped: 'filtered' }
    // Taboola has no refunds and would add the value.
    if (event.eventName === 'Refund') return { skipped: 'eventNotSupported' }
    const click = clickInParam(context, secrets.TABOOLA_QUERY_KEY) ?? (captured.tblci ?? captured.taboola_cid)?.value
    if (!click) return { skipped: 'identityMissing' }
    const conversion = {
      name,
      revenue: value,
      currency: data.currency,
      orderid: data.orderId,
      quantity: totalQuantity(items),
    }
    const account = secrets.TABOOLA_ACCOUNT_ID
    return account
      ? {
          url: `${api}/${encodeURIComponent(account)}/log/3/bulk-s2s-action`,
          json: { actions: [{ 'click-id': click, timestamp: event.timestamp, ...conversion }] },
        }
      : { url: `${api}/actions-handler/log/3/s2s-action`, query: { 'click-id': click, ...conversion } }
  },
  // https://developers.taboola.com/pixel/docs/bulk-submit-s2s-conversions; a postback is never joined
  batch: {
    maxEvents: 1_000,
    countEvents: ({ json }) => (json ? 1 : 1_000),
    join: (requests) => ({
      ...requests[0]!,
      json: { actions: requests.flatMap(({ json }) => (json as { actions: unknown[] }).actions) },
    }),
  },
})
