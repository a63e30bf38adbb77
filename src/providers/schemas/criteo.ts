import { hash } from 'node:crypto'
import { itemsWithId, mapItems, wholePieces } from '#provider/form/items.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { optional, text } from '#provider/form/variables.ts'

/** Criteo may redirect an account to the host of its region, which is then chosen: redirects are not followed. */
export const hosts = {
  default: 'widget.criteo.com',
  eu: 'widget.eu.criteo.com',
  us: 'widget.us.criteo.com',
  as: 'widget.as.criteo.com',
} as const

export const eventNames = {
  PageView: 'viewPage',
  ViewContent: 'viewItem',
  AddToCart: 'addToCart',
  InitiateCheckout: 'beginCheckout',
  AddPaymentInfo: 'addPaymentInfo',
  Purchase: 'trackTransaction',
  Search: 'viewList',
}

/** An optional variable that is a code of two letters. */
export const twoLetters = (label: string, description: string, placeholder: string) =>
  text(label, description, {
    ...optional,
    placeholder,
    check: (code: string) => (/^[A-Za-z]{2}$/.test(code) ? undefined : 'Write two letters.'),
  })

type Happened = Pick<RequestContext, 'event' | 'data' | 'items' | 'orderId'>

/** One member of `events`. */
export const eventOf = (name: string, { event, data, items, orderId }: Happened) => ({
  event: name,
  id: name === 'trackTransaction' ? orderId : undefined,
  timestamp: isoTime(event.timestamp),
  currency: data.currency,
  // the value of an order is the sum of price times quantity
  item: mapItems(wholePieces(itemsWithId(items)), ({ id, item_price: price, quantity }) => ({ id, price, quantity })),
  deduplication_page_view_id: name === 'viewPage' ? event.eventId : undefined,
})

/** Criteo's three digests of an e-mail address; `sha256_md5` is the SHA-256 of the MD5 in hex. */
export const emailDigests = ({ md5, sha256 }: { md5: string | undefined; sha256: string | undefined }) => ({
  md5,
  sha256,
  sha256_md5: md5 && hash('sha256', md5),
})

/** `t` for a tablet, `m` for a phone, `d` for everything else. */
export function siteType(userAgent = ''): 'd' | 'm' | 't' {
  const has = (word: string) => userAgent.includes(word)
  if (has('iPad') || has('Tablet') || (has('Android') && !has('Mobile'))) return 't'
  return has('Mobi') || has('iPhone') ? 'm' : 'd'
}
