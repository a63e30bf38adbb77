import type { StandardEvent } from './standardEvents.ts'

/**
 * The recommended events of GA4 that are standard events here.
 * https://developers.google.com/analytics/devguides/collection/ga4/reference/events
 */
const gaEvents: ReadonlyMap<string, StandardEvent | 'Refund'> = new Map([
  ['page_view', 'PageView'],
  ['view_item', 'ViewContent'],
  ['add_to_cart', 'AddToCart'],
  ['remove_from_cart', 'RemoveFromCart'],
  ['begin_checkout', 'InitiateCheckout'],
  ['add_shipping_info', 'AddShippingInfo'],
  ['add_payment_info', 'AddPaymentInfo'],
  ['purchase', 'Purchase'],
  ['search', 'Search'],
  ['view_search_results', 'Search'],
  ['generate_lead', 'Lead'],
  ['subscribe', 'Subscribe'],
  ['refund', 'Refund'],
])

// marked as pure, so that a build for the browser that does not use it leaves it out
export const gaEventNames: readonly string[] = /* @__PURE__ */ Array.from(/* @__PURE__ */ gaEvents.keys())
export const gaEventName = (name: string): string => gaEvents.get(name) ?? name

/**
 * Segment's e-commerce events and what they are here. Names are compared without case, blanks and signs; the second name
 * of an event is that of version 1.
 * https://segment.com/docs/connections/spec/ecommerce/v2/
 */
const segmentEvents: ReadonlyMap<string, StandardEvent> = new Map([
  ['productviewed', 'ViewContent'],
  ['viewedproduct', 'ViewContent'],
  ['productadded', 'AddToCart'],
  ['addedproduct', 'AddToCart'],
  ['productremoved', 'RemoveFromCart'],
  ['removedproduct', 'RemoveFromCart'],
  ['checkoutstarted', 'InitiateCheckout'],
  ['startedcheckout', 'InitiateCheckout'],
  ['shippinginfoentered', 'AddShippingInfo'],
  ['paymentinfoentered', 'AddPaymentInfo'],
  ['ordercompleted', 'Purchase'],
  ['completedorder', 'Purchase'],
  ['productssearched', 'Search'],
])

const simplified = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '')

/** The standard event that a name of Segment's e-commerce specification means. */
export const segmentEventOf = (name: string): StandardEvent | undefined =>
  segmentEvents.get(simplified(name.slice(0, 100)))
