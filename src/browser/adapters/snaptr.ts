import type { Adapter } from './adapter.ts'

const names: Record<string, string> = {
  PAGE_VIEW: 'PageView',
  VIEW_CONTENT: 'ViewContent',
  ADD_CART: 'AddToCart',
  START_CHECKOUT: 'InitiateCheckout',
  ADD_BILLING: 'AddPaymentInfo',
  PURCHASE: 'Purchase',
  SUBSCRIBE: 'Subscribe',
  SEARCH: 'Search',
  SIGN_UP: 'CompleteRegistration',
  ADD_TO_WISHLIST: 'AddToWishlist',
}

/** Snapchat's pixel. */
const snaptr: Adapter = {
  fields: 'price=value transaction_id=orderId search_string=search item_ids=ids client_dedup_id=',
  items: '',
  person:
    'user_email=email user_phone_number=phone firstname=firstName lastname=lastName geo_city=city geo_region=state geo_postal_code=zip geo_country=country uuid_c1=',
  start(host) {
    host.watchFunction(['snaptr'], 'queue', (call) => {
      const [method, first, second] = call
      if (method === 'init') host.person(second)
      if (method !== 'track') return undefined
      return host.track(call, { name: names[`${first}`] ?? first, data: second, idAt: 2, idKey: 'client_dedup_id' })
    })
  },
}

export default snaptr
