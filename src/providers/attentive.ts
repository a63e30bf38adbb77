import type { EventItem } from '#contract/event.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { wholePieces } from '#provider/form/items.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { password } from '#provider/form/variables.ts'
import { boundedProperties, propertiesWithFirstItem } from '#provider/vendors/boundedProperties.ts'
import { mappedTraits, traitFields, traitMapping } from '#provider/vendors/personTraits.ts'

const api = 'https://api.attentivemobile.com/v1'

const { PageView: _, ...names } = standardEventNames

const routes = {
  ViewContent: 'ecommerce/product-view',
  AddToCart: 'ecommerce/add-to-cart',
  Purchase: 'ecommerce/purchase',
}

/** Characters that are not allowed in the names of custom events and their properties. */
const notInName = /["'`(){}[\]\\|,]/g

export default provider({
  label: 'Attentive',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://docs.attentive.com/openapi/reference/tag/eCommerce/',
  dashboardUrl: 'https://ui.attentivemobile.com/integrations',
  links: {
    onboarding: 'https://ui.attentivemobile.com/integrations/index',
    introduction: 'https://docs.attentive.com/openapi/reference/tag/Custom-Events/',
    faq: 'https://docs.attentive.com/docs/api-rate-limits',
  },
  host: 'fixed',

  secrets: {
    ATTENTIVE_API_KEY: password(
      'API key',
      'Integrations, Create App: of a private app that may write eCommerce, Custom Events and Custom Attributes. It is shown once.',
      { check: noSpaces },
    ),
    ATTENTIVE_TRAITS: traitMapping('a custom attribute of your subscribers', ['tier', 'Tier']),
  },

  events: { ...names, ...routes },
  customEventName: (eventName) => eventName,
  user: {
    phone: plain('phone', phoneE164),
    email: plain('email', emailAddress),
    clientUserId: plain('customerId'),
    ...traitFields,
  },
  personId: 'customerId',
  // An order with only an e-mail: an event finds the subscriber with this e-mail, including one with a clientUserId.
  requires: ['phone', 'email', 'clientUserId'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'clientUserId', 'phone'],
  },
  dedup: 'externalEventId of custom events; orderId of purchases',

  // Only POST /v1/subscriptions subscribes, and it requires the id of a sign-up source. It is never called.
  request(context, secrets, name) {
    const { event, data, items, orderId } = context
    const { clientUserId, phone, email } = context.user
    const user = { phone, email, externalIdentifiers: clientUserId && { clientUserId } }
    const headers = { authorization: bearerAuth(secrets.ATTENTIVE_API_KEY) }
    // https://docs.attentive.com/openapi/reference/tag/Custom-Attributes/
    if (context.kind === 'user') {
      const properties = mappedTraits(context, secrets.ATTENTIVE_TRAITS)
      return properties
        ? { url: `${api}/attributes/custom`, headers, json: { user, properties } }
        : { skipped: 'filtered' }
    }
    const { currency } = data
    const page = event.eventName === 'ViewContent' ? event.pageUrl : undefined
    const priced = items.filter(({ id, item_price }) => id && item_price !== undefined)
    // The value of an order is the sum of price times quantity.
    const sold = currency === undefined ? [] : wholePieces(priced)
    const isShop = Object.hasOwn(routes, event.eventName) && sold.length > 0
    const shop = () => ({
      items: sold.map((item) => itemOf({ ...item, url: item.url ?? page } as EventItem, currency ?? '')),
      orderId: event.eventName === 'Purchase' ? orderId : undefined,
    })
    const custom = () => ({
      type: event.eventName.replace(notInName, '_'),
      externalEventId: event.eventId,
      properties: boundedProperties(propertiesWithFirstItem(context), { notInKey: notInName, nested: 'omit' }),
    })
    return {
      url: `${api}/events/${isShop ? name : 'custom'}`,
      headers,
      json: {
        ...(isShop ? shop() : custom()),
        occurredAt: isoTime(event.timestamp),
        user,
      },
    }
  },
})

/** Id, variant and price are required. Without a currency, Attentive reads the price as USD. */
const itemOf = (
  { id, variantId, title, image, url, item_price: value, quantity = 1 }: EventItem,
  currency: string,
) => ({
  productId: id,
  productVariantId: variantId ?? id,
  name: title,
  productImage: image,
  productUrl: url,
  price: [{ value, currency }],
  quantity,
})
