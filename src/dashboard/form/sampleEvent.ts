/** The standard events that a test offers, the most common first. */
export const sampleNames = [
  'PageView',
  'ViewContent',
  'AddToCart',
  'InitiateCheckout',
  'AddPaymentInfo',
  'Purchase',
  'Lead',
  'Subscribe',
  'Search',
] as const
export type SampleName = (typeof sampleNames)[number]

const items = [{ id: 'sku-1001', title: 'Trail shoe', quantity: 1, item_price: 99, category: 'Shoes' }]
const priced = { value: 99, currency: 'EUR', contents: items }

const dataOf: Record<SampleName, Record<string, unknown>> = {
  PageView: {},
  ViewContent: priced,
  AddToCart: priced,
  InitiateCheckout: priced,
  AddPaymentInfo: priced,
  Purchase: { ...priced, orderId: 'test-order-1' },
  Lead: { value: 10, currency: 'EUR' },
  Subscribe: { value: 5, currency: 'EUR' },
  Search: { search: 'trail shoe' },
}

/** A test event with every consent, so that only the channel's own settings decide. */
export const sampleEvent = (eventName: SampleName) => ({
  eventName,
  pageUrl: 'https://shop.example/test',
  userEmail: 'test@example.com',
  data: dataOf[eventName],
  storage: { service: { consent: { all: true }, consentCategories: { all: true } } },
})
