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

// Marked as pure, so that a browser build that does not use it omits it.
export const gaEventNames: readonly string[] = /* @__PURE__ */ Array.from(/* @__PURE__ */ gaEvents.keys())
export const gaEventName = (name: string): string => gaEvents.get(name) ?? name

/**
 * Segment's e-commerce events and their standard events here. Names are compared without case, spaces and punctuation;
 * the second name of an event is from version 1. https://segment.com/docs/connections/spec/ecommerce/v2/
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

/** The standard event for a name in Segment's e-commerce specification. */
export const segmentEventOf = (name: string): StandardEvent | undefined =>
  segmentEvents.get(simplified(name.slice(0, 100)))
