import { bearerAuth } from '#provider/form/authorization.ts'
import { mapItems } from '#provider/form/items.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import {
  boundedProperties,
  firstWithin,
  snakeCaseItem,
  snakeCaseProperties,
} from '#provider/vendors/boundedProperties.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'

const hosts = { us: 'go.urbanairship.com', eu: 'go.airship.eu' }

export default provider({
  label: 'Airship',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://docs.airship.com/api/ua/#operation-api-custom-events-post',
  dashboardUrl: 'https://go.airship.com',
  links: { onboarding: 'https://docs.airship.com/api/ua/' },
  host: 'fixed',

  secrets: {
    AIRSHIP_APP_KEY: identifier('App key', 'Settings, Project configuration, App key.', { check: noSpaces }),
    AIRSHIP_ACCESS_TOKEN: password(
      'Access token',
      'Settings, Tokens, Create token: with the role All or Custom events. The master secret does not work here.',
      { check: noSpaces },
    ),
    AIRSHIP_TRAITS: traitMapping('the ID of an attribute: Audience, Attributes', ['tier', 'tier']),
    AIRSHIP_REGION: region(hosts, 'eu where the address of your dashboard is go.airship.eu.'),
  },

  events: {
    PageView: 'page_view',
    ViewContent: 'browsed',
    AddToCart: 'added_to_cart',
    RemoveFromCart: 'removed_from_cart',
    InitiateCheckout: 'started_checkout',
    AddShippingInfo: 'added_shipping_info',
    AddPaymentInfo: 'added_payment_info',
    Purchase: 'purchased',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  // Airship rejects capital letters.
  customEventName: (eventName) => eventName.toLowerCase().replace(/\s/g, '_').slice(0, 255),
  user: { named_user_id: plain('customerId'), ...traitFields },
  personId: 'customerId',
  // An e-mail identifies no user: an order with only an e-mail is not sent.
  requires: ['named_user_id'],
  acceptsUserEvents: true,
  maxAgeMs: 90 * 86_400_000,
  matchKeys: {
    strong: ['named_user_id'],
  },
  dedup: 'none: a repeat is counted twice',

  // The event names a user whose channels are registered elsewhere, each with its own opt-in.
  request(context, secrets, name) {
    const { event, data, value, now } = context
    const { named_user_id } = context.user
    const api = `https://${regionHost(hosts, secrets.AIRSHIP_REGION)}/api`
    const headers = {
      authorization: bearerAuth(secrets.AIRSHIP_ACCESS_TOKEN),
      'x-ua-appkey': secrets.AIRSHIP_APP_KEY,
      accept: 'application/vnd.urbanairship+json; version=3',
    }
    // UTC without a zone. Airship rejects a time in the future.
    const occurred = isoTime(Math.min(event.timestamp, now)).slice(0, 19)
    if (context.kind === 'user') {
      const attributes = attributesOf(mappedTraits(context, secrets.AIRSHIP_TRAITS), occurred)
      const url = `${api}/named_users/${encodeURIComponent(named_user_id ?? '')}/attributes`
      return attributes ? { url, headers, json: { attributes } } : { skipped: 'filtered' }
    }
    return {
      url: `${api}/custom-events`,
      headers,
      json: [
        {
          occurred,
          user: { named_user_id },
          body: {
            name,
            value,
            transaction: data.orderId,
            interaction_id: event.pageUrl,
            interaction_type: event.pageUrl && 'url',
            properties: propertiesOf(context),
          },
        },
      ],
    }
  },
  // The maximum could not be confirmed.
  batch: {
    maxEvents: 100,
    joinKey: ({ url }) => (url.endsWith('/custom-events') ? url : undefined),
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as object[]) }),
  },
})

/** The properties of an event, without those that have their own fields. */
function propertiesOf(context: RequestContext): object {
  const { order_id: _, value: __, page_url: ___, ...own } = snakeCaseProperties(context)
  const items = mapItems(firstWithin(context.items, 40_000), snakeCaseItem)
  return { ...boundedProperties(own, { maxBytes: 20_000 }), items }
}

/** An attribute is a text, a number or a date. */
const attributeValue = (value: FlatValue) => (typeof value === 'boolean' ? String(value) : value)

/**
 * The attributes to set. Undefined if there are none. Airship rejects attributes that the project does not define.
 * https://docs.airship.com/api/ua/#operation-api-named_users-named_user_id-attributes-post
 */
const attributesOf = (traits: Readonly<Record<string, FlatValue>> | undefined, timestamp: string) =>
  traits &&
  Object.entries(traits).map(([key, value]) => ({ action: 'set', key, value: attributeValue(value), timestamp }))
