import type { EventData, EventItem } from '#contract/event.ts'
import { itemsWithId, mapItems, wholeQuantity } from '#provider/form/items.ts'
import { unlessNegative } from '#provider/form/money.ts'
import { emailAddress, ipv4Address } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { idCheck, identifier, optional, text } from '#provider/form/variables.ts'
import { gaClientId } from '#provider/vendors/googleCookies.ts'

const endpointCheck = (text: string): string | undefined =>
  isEndpoint(text) ? undefined : 'Write an address of Vibe: https://t.vibe.co/path.'

export default provider({
  label: 'Vibe',
  // Known from a single implementation, which the vendor wrote for another sender.
  stage: 'draft',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/actions-vibe-conversions',
  dashboardUrl: 'https://app.vibe.co/',
  host: 'fixed',

  secrets: {
    VIBE_PIXEL_ID: identifier('Pixel ID', 'Vibe, Pixels, your pixel: the id in its code.', { check: idCheck }),
    VIBE_ENDPOINT: text('Endpoint', 'Only where Vibe gave you an address of your own.', {
      ...optional,
      default: 'https://t.vibe.co/s2s-conversion/events/segment',
      check: endpointCheck,
    }),
  },

  events: {
    PageView: 'page_view',
    Purchase: 'purchase',
    Subscribe: 'signup',
    Lead: 'lead',
    CompleteRegistration: 'signup',
  },
  // Vibe accepts no hashes.
  user: {
    em: plain('email', emailAddress),
    ip: plain('ip', ipv4Address),
    ua: plain('userAgent'),
  },
  personId: 'none',
  requires: ['ip', 'em'],
  captures: [{ cookie: '_ga' }],
  maxAgeMs: 7 * 86_400_000,
  matchKeys: {
    strong: ['em'],
    medium: ['ip', 'captured._ga'],
  },
  dedup: 'eid',

  request({ event, data, items, user, value, captured }, secrets, a) {
    // The host must be Vibe's own, because the guard against private addresses does not check it.
    if (!isEndpoint(secrets.VIBE_ENDPOINT)) return { skipped: 'addressNotAllowed' }
    return {
      url: secrets.VIBE_ENDPOINT,
      headers: { accept: 'application/json' },
      json: {
        a,
        eid: event.eventId,
        aid: secrets.VIBE_PIXEL_ID,
        ts: event.timestamp,
        ...user,
        ed: eventData(data, items, unlessNegative(value)),
        url: event.pageUrl,
        gid: gaClientId(captured),
      },
    }
  },
})

/** Whether a URL belongs to the vendor: https at vibe.co or a host below it. */
function isEndpoint(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.port === '' && /^(?:[\w-]+\.)*vibe\.co$/.test(url.hostname)
}

const mostItems = 100

/**
 * The details of an event as JSON text. `price_usd` and `purchase_id` are the vendor's names, the others are free.
 * Undefined if nothing is known.
 */
function eventData({ currency, orderId, search }: EventData, items: readonly EventItem[], value: number | undefined) {
  const details = unlessEmpty({
    ...(currency === 'USD' ? { price_usd: value } : { value, currency }),
    purchase_id: orderId,
    search,
    contents: mapItems(itemsWithId(items).slice(0, mostItems), (item) => ({
      id: item.id,
      quantity: wholeQuantity(item),
      price: unlessNegative(item.item_price),
    })),
  })
  return details && JSON.stringify(details)
}
