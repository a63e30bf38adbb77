import type { TagEvent } from '#contract/event.ts'
import { eventValue } from '#contract/eventValue.ts'
import type { ValueMode } from '#contract/script.ts'

type PixelEvent = Pick<TagEvent, 'eventName' | 'data'>

/** The members that are not undefined, an empty text or an empty list. */
export const withoutEmpty = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined && member?.length !== 0))

/** The items with an id: vendors identify items only by their ids. */
export const itemsWithId = ({ data = {} }: PixelEvent) => (data.contents ?? []).filter(({ id }) => id)

const metaStandard = /^(PageView|ViewContent|AddToCart|InitiateCheckout|AddPaymentInfo|Purchase|Subscribe|Search|Lead)$/

/**
 * The arguments of Meta's pixel: the call for a standard or custom event, its name, and the fields that the server also
 * sends.
 */
export function toMetaCall(event: PixelEvent, mode: ValueMode) {
  const { eventName, data = {} } = event
  const items = itemsWithId(event)
  const call = metaStandard.test(eventName) ? 'trackSingle' : 'trackSingleCustom'
  const bought = items.length > 0 && {
    content_ids: items.map(({ id }) => id),
    contents: items.map(({ id, quantity = 1, item_price }) => withoutEmpty({ id, quantity, item_price })),
    content_type: 'product',
    num_items: items.reduce((sum, { quantity = 1 }) => sum + quantity, 0),
  }
  const { currency, orderId: order_id, search: search_string } = data
  return [
    call,
    eventName,
    withoutEmpty({ value: eventValue(event, mode), currency, order_id, search_string, ...bought }),
  ] as const
}

/** TikTok's names of standard events; undefined if not sent. Other events keep their name. */
const tiktokNames: Readonly<Record<string, string | undefined>> = {
  PageView: 'Pageview',
  Purchase: 'CompletePayment',
  Lead: 'SubmitForm',
  RemoveFromCart: undefined,
  AddShippingInfo: undefined,
}

/** The arguments of TikTok's pixel; undefined for an event that is not sent. */
export function toTiktokCall(event: PixelEvent, mode: ValueMode) {
  const { eventName, data = {} } = event
  const name = Object.hasOwn(tiktokNames, eventName) ? tiktokNames[eventName] : eventName
  if (name === undefined) return undefined
  const items = itemsWithId(event)
  const contents = items.map(({ id: content_id, title: content_name, quantity = 1, item_price: price }) =>
    withoutEmpty({ content_id, content_name, content_type: 'product', quantity, price }),
  )
  const { currency, orderId: order_id, search: query } = data
  const value = eventValue(event, mode)
  return [name, withoutEmpty({ value, currency, order_id, query, ...(contents.length > 0 && { contents }) })] as const
}
