import type { TagEvent } from '#contract/event.ts'
import type { ValueMode } from '#contract/script.ts'
import { eventValue } from '#contract/value.ts'

export type PixelEvent = Pick<TagEvent, 'eventName' | 'data'>

/** The members that are neither undefined nor an empty text or list. */
export const present = (members: object) =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined && member?.length !== 0))

/** What was bought, as far as it has ids: only by these a vendor knows it. */
export const withId = ({ data = {} }: PixelEvent) => (data.contents ?? []).filter(({ id }) => id)

const metaStandard = /^(PageView|ViewContent|AddToCart|InitiateCheckout|AddPaymentInfo|Purchase|Subscribe|Search|Lead)$/

/**
 * An event as Meta's pixel takes it, in the words in which the server tells it: the call for a standard event or for a custom
 * one, its name, and what is known.
 */
export function metaCall(event: PixelEvent, mode: ValueMode) {
  const { eventName, data = {} } = event
  const items = withId(event)
  const call = metaStandard.test(eventName) ? 'trackSingle' : 'trackSingleCustom'
  const bought = items.length > 0 && {
    content_ids: items.map(({ id }) => id),
    contents: items.map(({ id, quantity = 1, item_price }) => present({ id, quantity, item_price })),
    content_type: 'product',
    num_items: items.reduce((sum, { quantity = 1 }) => sum + quantity, 0),
  }
  const { currency, orderId: order_id, search: search_string } = data
  return [
    call,
    eventName,
    present({ value: eventValue(event, mode), currency, order_id, search_string, ...bought }),
  ] as const
}

/** Standard events by TikTok's names; those it has none for are not told, others bear their own. */
const tiktokNames: Readonly<Record<string, string | undefined>> = {
  PageView: 'Pageview',
  Purchase: 'CompletePayment',
  Lead: 'SubmitForm',
  RemoveFromCart: undefined,
  AddShippingInfo: undefined,
}

/** An event as TikTok's pixel takes it; undefined where it is not told. */
export function tiktokCall(event: PixelEvent, mode: ValueMode) {
  const { eventName, data = {} } = event
  const name = Object.hasOwn(tiktokNames, eventName) ? tiktokNames[eventName] : eventName
  if (name === undefined) return undefined
  const items = withId(event)
  const contents = items.map(({ id: content_id, title: content_name, quantity = 1, item_price: price }) =>
    present({ content_id, content_name, content_type: 'product', quantity, price }),
  )
  const { currency, orderId: order_id, search: query } = data
  const value = eventValue(event, mode)
  return [name, present({ value, currency, order_id, query, ...(contents.length > 0 && { contents }) })] as const
}
