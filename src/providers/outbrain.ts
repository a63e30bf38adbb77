import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { eventMapping, identifier, text } from '#provider/form/variables.ts'
import { clickInParam, clickParamCheck } from '#provider/vendors/clickParam.ts'

// Outbrain accepts no personal values here, neither hashed nor plain.
export default provider({
  label: 'Outbrain',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 164,
  docs: 'https://www.outbrain.com/help/advertisers/server2server-integrations/',
  dashboardUrl: 'https://my.outbrain.com/',
  links: { onboarding: 'https://www.outbrain.com/help/advertisers/server2server-integrations/' },
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    OUTBRAIN_MAPPED_EVENTS: eventMapping(
      'the name of an event-based conversion: Pixels, Conversions. Upper and lower case count',
      'Purchase',
    ),
    OUTBRAIN_QUERY_KEY: text(
      'Click ID parameter',
      'The name of the URL parameter that holds {{ob_click_id}} in the tracking code of your campaigns.',
      { optional: true, default: 'OutbrainClickId', check: clickParamCheck },
    ),
    OUTBRAIN_MARKETER_ID: identifier(
      'Marketer ID',
      'Only for the browser pixel, which tells Outbrain of page views: Pixels, Install pixel, the value of OB_ADV_ID.',
      {
        optional: true,
        usedBy: 'browser',
        check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the id alone: letters and digits.'),
      },
    ),
  },

  events: {},
  eventMapping: 'OUTBRAIN_MAPPED_EVENTS',
  user: {},
  personId: 'none',
  captures: [{ query: 'OutbrainClickId', cookie: 'outbrain_cid' }, { query: 'ob_click_id' }, { query: 'dicbo' }],
  clickParam: 'OUTBRAIN_QUERY_KEY',
  matchKeys: {
    strong: ['captured.OutbrainClickId', 'captured.outbrain_cid', 'captured.ob_click_id', 'captured.dicbo'],
  },
  dedup: 'none: a repeat is counted twice; orderId shows it',

  request(context, secrets, name) {
    const { event, data, value, captured } = context
    if (!name) return { skipped: 'filtered' }
    // Outbrain has no refunds and would add the value.
    if (event.eventName === 'Refund') return { skipped: 'eventNotSupported' }
    const { OutbrainClickId, ob_click_id, dicbo, outbrain_cid } = captured
    const click =
      clickInParam(context, secrets.OUTBRAIN_QUERY_KEY) ??
      (OutbrainClickId ?? ob_click_id ?? dicbo ?? outbrain_cid)?.value
    if (!click) return { skipped: 'identityMissing' }
    return {
      url: 'https://tr.outbrain.com/unifiedPixel',
      query: {
        ob_click_id: click,
        name,
        orderValue: value,
        orderId: data.orderId,
        currency: data.currency,
        // `2023-11-14 22:13:20`, in UTC: the vendor's page states no time zone.
        timestamp: isoTime(event.timestamp).slice(0, 19).replace('T', ' '),
      },
    }
  },
})
