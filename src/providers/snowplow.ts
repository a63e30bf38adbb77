import { toUuid } from '#provider/form/ids.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'
import { iglu, ownEvent, shopEvent, visitor } from './schemas/snowplow.ts'

const actions = {
  ViewContent: 'product_view',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'checkout_step',
  AddShippingInfo: 'checkout_step',
  AddPaymentInfo: 'checkout_step',
  Purchase: 'transaction',
  Refund: 'refund',
}
const structuredEvents = { Subscribe: 'Subscribe', Search: 'Search', Lead: 'Lead' }

/**
 * The event in the fields of the tracker protocol: a page view, an e-commerce event, a self-describing event or a
 * structured event.
 */
function eventFields(name: string, context: RequestContext, schema: string | undefined) {
  const { eventName } = context.event
  if (name === 'pv') return { e: 'pv' }
  if (Object.hasOwn(actions, eventName)) return shopEvent(name, context)
  if (schema && !Object.hasOwn(structuredEvents, eventName)) return ownEvent(schema, context)
  return { e: 'se', se_ca: 'ecommerce', se_ac: name, se_la: context.data.search, se_va: context.value?.toString() }
}

export default provider({
  label: 'Snowplow',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://docs.snowplow.io/docs/events/http-requests/',
  dashboardUrl: 'https://console.snowplowanalytics.com',
  links: {
    onboarding: 'https://docs.snowplow.io/docs/get-started/tracking/',
    introduction: 'https://docs.snowplow.io/docs/fundamentals/events/',
  },
  host: 'tenant',

  secrets: {
    SNOWPLOW_COLLECTOR_URL: text(
      'Collector',
      'The address of your collector: Console, Pipelines, Collector endpoint.',
      {
        placeholder: 'https://collector.example.com',
        check: urlCheck,
      },
    ),
    SNOWPLOW_APP_ID: identifier('App ID', 'Your own name for the site, in the column app_id.', { placeholder: 'shop' }),
    SNOWPLOW_POST_PATH: text('Path', 'Where the collector takes events, if you have changed it.', {
      optional: true,
      default: '/com.snowplowanalytics.snowplow/tp2',
      check: (path: string) => (/^\/[\w./-]+$/.test(path) ? undefined : 'Write a path that begins with a slash.'),
    }),
    SNOWPLOW_CUSTOM_SCHEMA: text('Schema of custom events', 'Empty: they go as structured events.', {
      ...optional,
      placeholder: 'iglu:com.example/event/jsonschema/1-0-0',
    }),
  },

  events: { PageView: 'pv', ...actions, ...structuredEvents },
  customEventName: (eventName) => eventName,
  user: { uid: plain('userId'), ip: plain('ip'), ua: plain('userAgent') },
  captures: [{ query: '_sp', cookie: '_sp_id.*' }, { cookie: 'sp' }],
  dedup: 'data[].eid: the eventId, as a UUID made of it where it is none',

  request(context, secrets, name) {
    const { event, user } = context
    const row = {
      ...eventFields(name, context, secrets.SNOWPLOW_CUSTOM_SCHEMA),
      eid: toUuid(event.eventId),
      aid: secrets.SNOWPLOW_APP_ID,
      p: 'srv',
      tv: 'aglet-1',
      tna: 'aglet',
      dtm: String(event.timestamp),
      stm: String(context.now),
      ...user,
      ...visitor(context.captured),
      url: event.pageUrl,
      page: event.pageTitle,
      refr: event.referrer,
    }
    return {
      url: baseUrl(secrets.SNOWPLOW_COLLECTOR_URL) + secrets.SNOWPLOW_POST_PATH,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': user.ua,
        'x-forwarded-for': user.ip,
      },
      json: { schema: iglu('/payload_data', '1-0-4'), data: [row] },
    }
  },
  // 50 is our own limit: a collector limits bytes only. Each event also holds the visitor's IP address and user agent
  batch: { listPath: 'data', maxEvents: 50, singleEventHeaders: ['user-agent', 'x-forwarded-for'] },
})
