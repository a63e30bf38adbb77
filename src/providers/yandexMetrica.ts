import type { EventItem } from '#contract/event.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestParams } from '#provider/form/request.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { identifier, password, tokenCheck } from '#provider/form/variables.ts'
import { flatProperties } from '#provider/vendors/attribution.ts'

const productActions = new Set(['detail', 'add', 'remove', 'purchase'])

export default provider({
  label: 'Yandex Metrica',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://yandex.com/dev/metrika/en/data-import/measurement-upload',
  dashboardUrl: 'https://metrika.yandex.ru/',
  links: { onboarding: 'https://yandex.com/support/metrica/en/general/measurement-protocol' },
  host: 'fixed',

  secrets: {
    YANDEX_METRICA_COUNTER_ID: identifier('Tag ID', 'Metrica, Tags: the number beside the name of the tag.', {
      placeholder: '12345678',
      check: digitsCheck,
    }),
    YANDEX_METRICA_TOKEN: password(
      'Measurement Protocol token',
      'Metrica, the tag, Settings, Measurement Protocol: create a token.',
      { check: tokenCheck },
    ),
  },

  events: {
    PageView: 'pageview',
    ViewContent: 'detail',
    AddToCart: 'add',
    RemoveFromCart: 'remove',
    InitiateCheckout: 'InitiateCheckout',
    AddShippingInfo: 'AddShippingInfo',
    AddPaymentInfo: 'AddPaymentInfo',
    Purchase: 'purchase',
    Subscribe: 'Subscribe',
    Search: 'Search',
    Lead: 'Lead',
  },
  // The name of a goal of the tag.
  customEventName: (eventName) => eventName,
  user: {},
  personId: 'none',
  requires: ['captured._ym_uid'],
  captures: [{ cookie: '_ym_uid' }],
  // Older hits require another API of the vendor, which accepts files.
  maxAgeMs: 12 * 3_600_000,
  matchKeys: {
    strong: ['captured._ym_uid'],
  },
  dedup: 'ti: an order counts once',

  request({ event, data, items, orderId, coupon, value, captured }, secrets, name) {
    const cid = /^\d{1,30}$/.exec(captured._ym_uid?.value.trim() ?? '')?.[0]
    if (!cid) return { skipped: 'identityMissing' }
    const isPage = event.eventName === 'PageView'
    if (isPage && !event.pageUrl) return { skipped: 'payloadRefused' }
    const isListed = event.eventName !== name && productActions.has(name)
    const isOrder = event.eventName === 'Purchase'
    const own = flatProperties(data)
    return {
      url: 'https://mc.yandex.ru/collect',
      form: {
        tid: secrets.YANDEX_METRICA_COUNTER_ID,
        ms: secrets.YANDEX_METRICA_TOKEN,
        cid,
        t: isPage ? 'pageview' : 'event',
        dl: event.pageUrl,
        // Required for a page view, even if empty.
        dr: event.referrer ?? (isPage ? '' : undefined),
        dt: event.pageTitle,
        et: epochSeconds(event.timestamp),
        ...(!isPage && (isListed ? { pa: name } : { ea: name })),
        ...(isOrder && { ti: orderId, tr: value, tcc: coupon }),
        ...(isListed && { cu: data.currency, ...numberedItems(items) }),
        params: Object.keys(own).length > 0 ? JSON.stringify(own) : undefined,
      },
    }
  },

  responseRules: [{ status: 403, verdict: 'keyRejected' }],
})

/** The fields of the items, numbered from 1: `pr1id`, `pr1nm`, `pr2id`. */
const numberedItems = (items: readonly EventItem[]): RequestParams =>
  Object.fromEntries(
    items.flatMap(({ id, sku, title, item_price, quantity = 1, category, brand }, index) =>
      Object.entries({ id: id ?? sku, nm: title, pr: item_price, qt: quantity, ca: category, br: brand }).map(
        ([field, value]) => [`pr${index + 1}${field}`, value],
      ),
    ),
  )
