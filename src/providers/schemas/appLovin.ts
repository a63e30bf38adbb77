import { itemsWithId, mapItems } from '#provider/form/items.ts'
import { countryCode, type Normalise, zipCode } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext } from '#provider/form/request.ts'

export const eventNames = {
  PageView: 'page_view',
  ViewContent: 'view_item',
  AddToCart: 'add_to_cart',
  RemoveFromCart: 'remove_from_cart',
  InitiateCheckout: 'begin_checkout',
  AddPaymentInfo: 'add_payment_info',
  Purchase: 'purchase',
  Subscribe: 'subscribe',
  Search: 'search',
  Lead: 'generate_lead',
}

/** Axon takes a postal code of the US only. */
export const usZip: Normalise = (raw, person) =>
  person.country && countryCode(person.country, person) === 'US' ? zipCode(raw, person) : undefined

/** Without one of these the event is rejected; without the IP address and the user agent it is rejected as well. */
export const identities = (
  [
    'user_id',
    'email',
    'phone',
    'captured.aleid',
    'captured._axeid',
    'captured.axeid',
    'captured.alart',
    'captured._axart',
    'captured._axwrt',
  ] as const
).map((id) => [id, 'client_ip_address', 'client_user_agent'] as const)

/** The `data` of an event. Null where nothing is known: the member is required. */
export function dataOf(name: string, { data, items, value }: Pick<RequestContext, 'data' | 'items' | 'value'>) {
  const list = mapItems(itemsWithId(items), ({ id, title, variantId, category, image, item_price, quantity = 1 }) => ({
    item_id: id,
    item_name: title,
    item_variant_id: variantId,
    // a number of Google's product taxonomy
    item_category_id: /^\d{1,9}$/.test(category ?? '') ? Number(category) : undefined,
    image_url: image,
    price: item_price,
    quantity,
  }))
  const members = {
    currency: data.currency,
    value,
    transaction_id: data.orderId,
    shipping: data.shipping,
    tax: data.tax,
    search_term: data.search,
    [name === 'search' ? 'results' : 'items']: list,
  }
  return unlessEmpty(members) ?? null
}
