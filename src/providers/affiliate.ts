import { plain } from '#provider/identity.ts'
import { ownNames, provider } from '#provider/provider.ts'
import { pageQuery } from '#provider/read.ts'
import { addressCheck, listed, text } from '#provider/variables.ts'

/** A name that a query can hold as it is. */
const nameCheck = (name: string) =>
  /^[\w.~-]{1,100}$/.test(name) ? undefined : 'Write the name of the parameter alone: letters, digits, _ - . ~'

const macro = /\{(click_id|order_id|value|currency|event_id|event_name)\}/g
const secrets = { AFFILIATE_POSTBACK_URL: 'https://net.example/pb?c={click_id}&o={order_id}&v={value}&k={currency}' }
const bought = { value: 84.9, currency: 'EUR', orderId: 'A/1 & 2' }
const clicked = { captured: { click_id: 'c+1' }, secrets }

export default provider({
  label: 'Affiliate postback',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://en.wikipedia.org/wiki/Affiliate_marketing',
  host: 'customer',

  secrets: {
    AFFILIATE_POSTBACK_URL: text(
      'Postback address',
      'Of your network. In it {click_id}, {order_id}, {value}, {currency}, {event_id} and {event_name} are filled in, encoded.',
      { placeholder: 'https://network.example/postback?click={click_id}&amount={value}', check: addressCheck },
    ),
    AFFILIATE_CLICK_PARAM: text(
      'Click parameter',
      'The parameter of the landing page that holds the click id. It is captured there and goes along with what the visitor does later.',
      { optional: true, default: 'click_id', check: nameCheck },
    ),
    AFFILIATE_METHOD: text('Method', 'GET or POST. A POST sends the query of the address as a form.', {
      optional: true,
      default: 'GET',
      check: (method: string) => (/^(GET|POST)$/i.test(method) ? undefined : 'Write GET or POST.'),
    }),
    AFFILIATE_EVENTS: text('Events', 'Names of the events that are sent, divided by commas.', {
      optional: true,
      default: 'Purchase',
      placeholder: 'Purchase, Lead',
    }),
  },

  events: ownNames,
  custom: (eventName) => eventName,
  user: { userId: plain('userId') },
  clickParam: 'AFFILIATE_CLICK_PARAM',
  dedup: 'what the address makes of {order_id} and {event_id}',

  request({ event, value, captured }, secrets) {
    if (!listed(secrets.AFFILIATE_EVENTS).includes(event.eventName)) return { skipped: 'filtered' }
    const param = secrets.AFFILIATE_CLICK_PARAM
    const click = captured[param]?.value ?? pageQuery(event)[param]
    // without a click a network credits nobody
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
    const question = url.indexOf('?')
    if (question < 0) return { url, method: 'POST' }
    return { url: url.slice(0, question), form: Object.fromEntries(new URLSearchParams(url.slice(question + 1))) }
  },

  examples: [
    {
      title: 'a purchase after a click, macros encoded',
      event: { eventName: 'Purchase', data: bought },
      ...clicked,
      sends: [{ method: 'GET', url: 'https://net.example/pb?c=c%2B1&o=A%2F1%20%26%202&v=84.9&k=EUR', headers: {} }],
    },
    {
      title: 'a lead by POST, the click in a parameter of the network’s own',
      event: {
        eventName: 'Lead',
        pageUrl: 'https://shop.example/?nid=n-7',
        data: { value: 5, currency: 'EUR' },
      },
      secrets: {
        AFFILIATE_POSTBACK_URL: 'https://net.example/pb?id={click_id}&e={event_name}&x={event_id}&o={order_id}',
        AFFILIATE_CLICK_PARAM: 'nid',
        AFFILIATE_METHOD: 'post',
        AFFILIATE_EVENTS: 'Purchase, Lead',
      },
      sends: [
        {
          method: 'POST',
          url: 'https://net.example/pb',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: { id: 'n-7', e: 'Lead', x: 'evt-1', o: '' },
        },
      ],
    },
    {
      title: 'a custom event that is asked for, to an address without a query',
      event: { eventName: 'Trial begun' },
      captured: { cid: 'c-1' },
      secrets: {
        AFFILIATE_POSTBACK_URL: 'https://net.example/pb/{click_id}/{event_name}',
        AFFILIATE_CLICK_PARAM: 'cid',
        AFFILIATE_METHOD: 'POST',
        AFFILIATE_EVENTS: 'Trial begun',
      },
      sends: [{ method: 'POST', url: 'https://net.example/pb/c-1/Trial%20begun', headers: {} }],
    },
    {
      title: 'a purchase without a click is nobody’s',
      event: { eventName: 'Purchase', data: bought },
      user: { userId: 'usr_1' },
      secrets,
      sends: { skipped: 'identityMissing' },
    },
    ...Object.keys(ownNames)
      .filter((eventName) => eventName !== 'Purchase')
      .map((eventName) => ({
        title: `${eventName}, which is not on the list`,
        event: { eventName },
        ...clicked,
        sends: { skipped: 'filtered' as const },
      })),
  ],
})
