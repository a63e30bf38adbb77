import { bearerAuth } from '#provider/form/authorization.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'
import { attributesOf, propertiesOf } from './schemas/airship.ts'

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
  // a capital letter is refused
  customEventName: (eventName) => eventName.toLowerCase().replace(/\s/g, '_').slice(0, 255),
  user: { named_user_id: plain('userId'), ...traitFields },
  requires: ['named_user_id'],
  acceptsUserEvents: true,
  maxAgeMs: 90 * 86_400_000,
  dedup: 'none: a repeat is counted twice',

  // the event names a user whose channels are registered elsewhere, each with its own opt-in
  request(context, secrets, name) {
    const { event, data, value, now } = context
    const { named_user_id } = context.user
    const api = `https://${regionHost(hosts, secrets.AIRSHIP_REGION)}/api`
    const headers = {
      authorization: bearerAuth(secrets.AIRSHIP_ACCESS_TOKEN),
      'x-ua-appkey': secrets.AIRSHIP_APP_KEY,
      accept: 'application/vnd.urbanairship+json; version=3',
    }
    // UTC without a zone; a time in the future is refused
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
  // nobody could confirm the maximum
  batch: {
    maxEvents: 100,
    joinKey: ({ url }) => (url.endsWith('/custom-events') ? url : undefined),
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as object[]) }),
  },
})
