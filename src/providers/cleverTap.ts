import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { mapItems } from '#provider/form/items.ts'
import { emailAddress, genderLetter, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain, type UserRule } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { boundedProperties, withCustomData } from '#provider/vendors/boundedProperties.ts'

const hosts = {
  default: 'api.clevertap.com',
  eu1: 'eu1.api.clevertap.com',
  in1: 'in1.api.clevertap.com',
  sg1: 'sg1.api.clevertap.com',
  us1: 'us1.api.clevertap.com',
  aps3: 'aps3.api.clevertap.com',
  mec1: 'mec1.api.clevertap.com',
}

export default provider({
  label: 'CleverTap',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developer.clevertap.com/docs/upload-events-api',
  dashboardUrl: 'https://eu1.dashboard.clevertap.com/login.html',
  links: {
    onboarding: 'https://developer.clevertap.com/docs/common-api-components',
    faq: 'https://developer.clevertap.com/docs/api-request-limit',
  },
  host: 'fixed',

  secrets: {
    CLEVERTAP_ACCOUNT_ID: identifier('Project ID', 'Settings, Project: the project ID.', {
      placeholder: 'ZWW-WWW-WWRZ',
      check: noSpaces,
    }),
    CLEVERTAP_PASSCODE: password('Passcode', 'Settings, Project: the passcode of the project.', { check: noSpaces }),
    CLEVERTAP_REGION: region(
      hosts,
      'The first part of the address of your dashboard. A wrong region rejects the passcode.',
    ),
  },

  events: {
    PageView: 'Page Viewed',
    ViewContent: 'Product Viewed',
    AddToCart: 'Added To Cart',
    RemoveFromCart: 'Removed From Cart',
    InitiateCheckout: 'Checkout Started',
    AddShippingInfo: 'Shipping Info Added',
    AddPaymentInfo: 'Payment Info Added',
    Purchase: 'Charged',
    Subscribe: 'Subscribed',
    Search: 'Searched',
    Lead: 'Lead',
  },
  customEventName: (eventName) => truncate(eventName, 120),
  user: {
    identity: plain('customerId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    gender: plain('gender', genderLetter),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: the identity may be an e-mail and finds its profile
  // (https://developer.clevertap.com/docs/upload-events-api).
  requires: ['identity', 'email'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['identity', 'email', 'phone'],
  },
  dedup: 'identity, evtName and ts with the same data; Charged ID',

  request(context, secrets, evtName) {
    const row = rowOf(context, evtName)
    if (!row) return { skipped: 'filtered' }
    return {
      url: `https://${regionHost(hosts, secrets.CLEVERTAP_REGION)}/1/upload`,
      headers: {
        'x-clevertap-account-id': secrets.CLEVERTAP_ACCOUNT_ID,
        'x-clevertap-passcode': secrets.CLEVERTAP_PASSCODE,
        'content-type': 'application/json; charset=utf-8',
      },
      json: { d: [row] },
    }
  },
  batch: { listPath: 'd', maxEvents: 1_000, partialFailures: failedRows },

  errorMessage: 'unprocessed.0.error',
  responseRules: [
    { path: 'unprocessed.0', verdict: 'refused' },
    { status: 200, path: 'status', equalsAny: ['fail'], verdict: 'refused' },
  ],
})

const limits = { maxKeyLength: 120, maxTextLength: 512, nested: 'omit' } as const

const itemOf = ({ id, title, category, item_price, quantity, variantId, brand, sku, url, image }: EventItem) =>
  boundedProperties(
    {
      'Product ID': id,
      Name: title,
      Category: category,
      Price: item_price,
      Quantity: quantity,
      'Variant ID': variantId,
      Brand: brand,
      SKU: sku,
      URL: url,
      Image: image,
    },
    limits,
  )

/**
 * The vendor's SDK reports an error above this number of items: https://github.com/CleverTap/clevertap-android-sdk,
 * `Validator`.
 */
const maxItems = 50

/** At most 100 properties. Only Charged has a list of items; other events have the fields of their first item. */
function eventData(context: RequestContext): object {
  const { event, data, items, orderId, coupon, value } = context
  const isCharged = event.eventName === 'Purchase'
  const order = {
    Amount: value,
    Currency: data.currency,
    'Charged ID': isCharged ? orderId : data.orderId,
    Tax: data.tax,
    Shipping: data.shipping,
    Discount: data.discount,
    Coupon: coupon,
  }
  const page = { 'Page URL': event.pageUrl, 'Page Title': event.pageTitle, Referrer: event.referrer }
  const first = isCharged || !items[0] ? {} : itemOf(items[0])
  const fields = { ...order, Search: data.search, ...page, ...first }
  const flat = boundedProperties(withCustomData(fields, context), { ...limits, maxCount: 99 })
  return isCharged ? { ...flat, Items: mapItems(items.slice(0, maxItems), itemOf) } : flat
}

type CleverTapUser = Record<'identity' | 'email' | 'phone' | 'gender' | 'firstName' | 'lastName', UserRule>

type ProfileFields = Omit<RequestContext<CleverTapUser>['user'], 'identity'>

/** Omits `MSG-email`, `MSG-sms` and similar flags, which hold the person's consent. */
function profileData({ email, phone, gender, firstName, lastName }: ProfileFields) {
  const Name = truncate([firstName, lastName].filter(Boolean).join(' '), 512) || undefined
  return unlessEmpty({ Name, Email: email, Phone: phone, Gender: gender?.toUpperCase() })
}

/** A profile or an event. Undefined for a profile without a value. CleverTap rejects a time in the future. */
function rowOf(context: RequestContext<CleverTapUser>, evtName: string): object | undefined {
  const { kind, event, now } = context
  const { identity, ...fields } = context.user
  const common = { identity: identity ?? fields.email, ts: epochSeconds(Math.min(event.timestamp, now)) }
  if (kind === 'tag') return { type: 'event', ...common, evtName, evtData: eventData(context) }
  const profile = profileData(fields)
  return profile && { type: 'profile', ...common, profileData: profile }
}

type Row = { identity?: string; evtName?: string; ts?: number }

type Unprocessed = { unprocessed?: { error?: string; record?: Row }[] }

/** The rows that the response returns as unprocessed. */
function failedRows({ unprocessed = [] }: Unprocessed, sent: { d?: Row[] }): PartialFailure[] {
  const keyOf = ({ identity, evtName, ts }: Row = {}) => JSON.stringify([identity, evtName, ts])
  const failed = new Map(unprocessed.map(({ record, error }) => [keyOf(record), error]))
  return (sent.d ?? []).flatMap((each, row): PartialFailure[] =>
    failed.has(keyOf(each)) ? [{ row, verdict: 'refused', message: failed.get(keyOf(each)) }] : [],
  )
}
