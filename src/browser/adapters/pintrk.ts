import type { Adapter } from './adapter.ts'

const names: Record<string, string> = {
  pagevisit: 'ViewContent',
  addtocart: 'AddToCart',
  checkout: 'Purchase',
  search: 'Search',
  lead: 'Lead',
  signup: 'CompleteRegistration',
  viewcategory: 'ViewItemList',
}

/** Pinterest's tag: https://help.pinterest.com/en/business/article/add-event-codes */
const pintrk: Adapter = {
  fields: 'order_id=orderId search_query=search line_items=contents product_ids=ids event_id=',
  items:
    'product_id=id product_name=title product_category=category product_brand=brand product_variant_id=variantId product_price=item_price product_quantity=quantity',
  person: 'em=email external_id=customerId',
  start(host) {
    host.watchFunction(['pintrk'], 'queue', (call) => {
      const [method, first, second] = call
      host.person(method === 'set' ? first : method === 'load' ? second : undefined)
      if (method === 'page') host.event('PageView', {})
      if (method !== 'track') return undefined
      return host.track(call, {
        name: names[`${first}`.toLowerCase()] ?? first,
        data: second,
        idAt: 2,
        idKey: 'event_id',
      })
    })
  },
}

export default pintrk
