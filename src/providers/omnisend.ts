import { toUuid } from '#provider/form/ids.ts'
import { countryCode, emailAddress, genderLetter, isoBirthDate, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { inSteps } from '#provider/form/steps.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { password } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { withSubscription } from '#provider/vendors/subscription.ts'
import { contactUpdate, eventVersions, optInVariable, propertiesOf, subscriptionOf } from './schemas/omnisend.ts'

export default provider({
  label: 'Omnisend',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://api-docs.omnisend.com/reference/post_events',
  dashboardUrl: 'https://app.omnisend.com/integrations/api-keys',
  links: {
    onboarding: 'https://api-docs.omnisend.com/reference/authentication',
    introduction: 'https://api-docs.omnisend.com/docs/how-to-send-events-rest-api',
    faq: 'https://api-docs.omnisend.com/reference-link/events',
  },
  host: 'fixed',

  secrets: {
    OMNISEND_API_KEY: password(
      'API key',
      'Store settings, API keys, Create API key: with events.write, and contacts.write for updates.',
      {
        check: noSpaces,
      },
    ),
    OMNISEND_OPT_IN: optInVariable,
    OMNISEND_TRAITS: traitMapping('a custom property of your contacts', ['tier', 'tier'], { keys: 'custom' }),
  },

  events: {
    PageView: 'viewed page',
    ViewContent: 'viewed product',
    AddToCart: 'added product to cart',
    RemoveFromCart: 'removed product from cart',
    InitiateCheckout: 'started checkout',
    AddShippingInfo: 'added shipping info',
    AddPaymentInfo: 'added payment info',
    Purchase: 'placed order',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'lead',
  },
  customEventName: (eventName) => eventName,
  user: {
    email: plain('email', emailAddress),
    phone: plain('phone', validE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
    gender: plain('gender', genderLetter),
    birthdate: plain('dateOfBirth', isoBirthDate),
    city: plain('city'),
    state: plain('state'),
    postalCode: plain('zip'),
    country: plain('country'),
    countryCode: plain('country', countryCode),
  },
  requires: ['email', 'phone', 'captured.omnisendContactID'],
  acceptsUserEvents: true,
  captures: [{ query: 'omnisendContactID', cookie: 'omnisendContactID' }],
  dedup: 'eventID with eventTime; for historical events only',

  // the contact of an event is created without a subscription: https://api-docs.omnisend.com/reference-link/events
  request(context, secrets, name) {
    const { event, user, captured } = context
    const id = /^[0-9a-f]{24}$/i.exec(captured.omnisendContactID?.value ?? '')?.[0]
    if (!id && !user.email && !user.phone) return { skipped: 'identityMissing' }
    const headers = { authorization: `Omnisend-API-Key ${secrets.OMNISEND_API_KEY}`, 'omnisend-version': '2026-03-15' }
    if (context.kind === 'user')
      return contactUpdate(user, { headers, customProperties: mappedTraits(context, secrets.OMNISEND_TRAITS) })
    const sends = propertiesOf(name, context).map((properties, i) => ({
      url: 'https://api.omnisend.com/api/events',
      headers,
      json: {
        eventName: name,
        eventID: toUuid(i === 0 ? event.eventId : `${event.eventId}:${i + 1}`),
        eventTime: isoTime(event.timestamp),
        eventVersion: eventVersions[name],
        origin: 'api',
        contact: { id, ...user },
        properties,
      },
    }))
    const add = () => subscriptionOf(context, headers)
    return sends.length > 1
      ? inSteps(sends)
      : withSubscription(context, secrets.OMNISEND_OPT_IN === '1' ? 'all' : undefined, add, ...sends)
  },
})
