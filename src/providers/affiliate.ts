import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { commaList, text, urlCheck } from '#provider/form/variables.ts'
import { clickWindowMs } from '#provider/vendors/affiliate.ts'
import { clickInParam, clickParamCheck } from '#provider/vendors/clickParam.ts'

const macro = /\{(click_id|order_id|value|currency|event_id|event_name)\}/g

export default provider({
  label: 'Affiliate postback',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://en.wikipedia.org/wiki/Affiliate_marketing',
  host: 'customer',

  secrets: {
    AFFILIATE_POSTBACK_URL: text(
      'Postback address',
      'The postback URL of your network. {click_id}, {order_id}, {value}, {currency}, {event_id} and {event_name} are replaced, encoded.',
      { placeholder: 'https://network.example/postback?click={click_id}&amount={value}', check: urlCheck },
    ),
    AFFILIATE_CLICK_PARAM: text(
      'Click parameter',
      'The query parameter of the landing page that holds the click id. It is captured there and sent with later events of the visitor.',
      { optional: true, default: 'click_id', check: clickParamCheck },
    ),
    AFFILIATE_METHOD: text('Method', 'GET or POST. A POST sends the query of the address as a form.', {
      optional: true,
      default: 'GET',
      check: (method: string) => (/^(GET|POST)$/i.test(method) ? undefined : 'Write GET or POST.'),
    }),
    AFFILIATE_EVENTS: text('Events', 'Names of the events that are sent, separated by commas.', {
      optional: true,
      input: 'list',
      default: 'Purchase',
      placeholder: 'Purchase, Lead',
    }),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: {},
  personId: 'none',
  clickWindowMs,
  clickParam: 'AFFILIATE_CLICK_PARAM',
  dedup: 'depends on {order_id} and {event_id} in the URL',

  request(context, secrets) {
    const { event, value } = context
    if (!commaList(secrets.AFFILIATE_EVENTS).includes(event.eventName)) return { skipped: 'filtered' }
    const click = clickInParam(context, secrets.AFFILIATE_CLICK_PARAM)
    // Networks credit no partner without a click id.
    if (!click) return { skipped: 'identityMissing' }
    const filled: Readonly<Record<string, string | number | undefined>> = {
      click_id: click,
      order_id: event.data?.orderId,
      value,
      currency: event.data?.currency,
      event_id: event.eventId,
      event_name: event.eventName,
    }
    const url = secrets.AFFILIATE_POSTBACK_URL.replace(macro, (_, name: string) =>
      encodeURIComponent(`${filled[name] ?? ''}`.toWellFormed()),
    )
    if (!/^POST$/i.test(secrets.AFFILIATE_METHOD)) return { url }
    const queryAt = url.indexOf('?')
    if (queryAt < 0) return { url, method: 'POST' }
    return { url: url.slice(0, queryAt), form: Object.fromEntries(new URLSearchParams(url.slice(queryAt + 1))) }
  },
})
