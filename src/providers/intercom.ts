import { bearerAuth } from '#provider/form/authorization.ts'
import { minorUnits } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import type { RequestSteps, StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { checkbox, optional, password } from '#provider/form/variables.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'

const hosts = { us: 'api.intercom.io', eu: 'api.eu.intercom.io', au: 'api.au.intercom.io' }

export default provider({
  label: 'Intercom',
  stage: 'beta',
  consent: ['functional', 'advertising', 'analytics'],
  docs: 'https://developers.intercom.com/docs/references/rest-api/api.intercom.io/data-events/createdataevent',
  dashboardUrl: 'https://app.intercom.com/a/apps/_/developer-hub',
  links: {
    onboarding: 'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication',
    introduction: 'https://www.intercom.com/help/en/articles/175-set-up-event-tracking-in-intercom',
    faq: 'https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/regional-hosting',
  },
  appPlatforms: ['ios', 'android'],
  host: 'fixed',

  secrets: {
    INTERCOM_ACCESS_TOKEN: password('Access token', 'Developer Hub, your app, Authentication: it may write events.'),
    INTERCOM_REGION: region(hosts, 'Settings, Workspace, General: where the data of the workspace is hosted.'),
    INTERCOM_CREATE_CONTACTS: checkbox(
      'Create contacts',
      'A person whom Intercom does not know becomes a user who gets no marketing e-mails. The token has to be able to write users. Without it such an event is refused.',
      optional,
    ),
  },

  // No PageView: Intercom's own page code records pages.
  events: {
    ViewContent: 'viewed-product',
    AddToCart: 'added-to-cart',
    RemoveFromCart: 'removed-from-cart',
    InitiateCheckout: 'started-checkout',
    AddShippingInfo: 'added-shipping-info',
    AddPaymentInfo: 'added-payment-info',
    Purchase: 'placed-order',
    Subscribe: 'subscribed',
    Search: 'searched',
    Lead: 'submitted-lead',
  },
  // A workspace is limited to 120 event names; the customer must choose custom event names accordingly.
  customEventName: (eventName) => eventName,
  user: {
    user_id: plain('customerId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: an event finds the contact with this e-mail, including one with an external id.
  requires: ['user_id', 'email'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['user_id', 'email', 'phone'],
  },
  dedup: 'the person, event_name and created_at together: a repeat is ignored',

  request(context, secrets, event_name) {
    const { user_id, email, ...person } = context.user
    const headers = {
      authorization: bearerAuth(secrets.INTERCOM_ACCESS_TOKEN),
      'intercom-version': '2.15',
      accept: 'application/json',
    }
    const api = (path: string) => ({ url: `https://${regionHost(hosts, secrets.INTERCOM_REGION)}/${path}`, headers })
    if (context.kind === 'user') {
      const json = traitsOf(person)
      const [field, value] = user_id ? ['external_id', user_id] : ['email', email]
      const find = {
        ...api('contacts/search'),
        json: { query: { field, operator: '=', value } },
        resultPath: 'data.0.id',
      }
      return json
        ? updateSteps(find, (id) => ({ ...api(`contacts/${id}`), method: 'PUT', json }))
        : { skipped: 'filtered' }
    }
    const eventRequest: StepSpec = {
      ...api('events'),
      json: {
        event_name,
        created_at: epochSeconds(context.event.timestamp),
        ...(user_id ? { user_id } : { email }),
        metadata: metadataOf(context),
      },
    }
    if (secrets.INTERCOM_CREATE_CONTACTS !== '1') return eventRequest
    const contact = { role: 'user', external_id: user_id, email, unsubscribed_from_emails: true }
    const steps: StepSpec[] = [
      {
        ...eventRequest,
        resultPath: 'errors.0.code',
        responseRules: [{ status: 404, path: 'errors.0.code', verdict: 'delivered' }],
      },
      // 409: another event created the contact in the meantime.
      { ...api('contacts'), json: contact, responseRules: [{ status: 409, verdict: 'delivered' }] },
      eventRequest,
    ]
    return { next: ({ length, 0: unknown }) => (length === 0 || unknown !== undefined ? steps[length] : undefined) }
  },
})

/** Newer pages say 20. */
const maxKeys = 10

const maxText = 255

/**
 * Characters that a key must not contain:
 * https://www.intercom.com/help/en/articles/175-set-up-event-tracking-in-intercom
 */
const notInKey = /[.$~`!@#%^&*'{}|\\"\0]/g

/** A key that ends in `_date` must hold epoch seconds. */
const isOfForm = ([name, value]: [string, unknown]) =>
  name.trim() !== '' && (!name.endsWith('_date') || Number.isSafeInteger(value))

/** Flat: the only objects are prices, in the smallest unit of their currency. The most important keys come first. */
function metadataOf(context: RequestContext): object | undefined {
  const { order_id: order_number, value, currency, ...more } = flatProperties(context)
  const isPrice = typeof value === 'number' && typeof currency === 'string'
  const price = isPrice ? { amount: minorUnits(value, currency), currency: currency.toLowerCase() } : undefined
  const fields = Object.entries({ order_number, price, ...(!isPrice && { value, currency }), ...more })
  const given = fields.filter((field) => field[1] !== undefined && isOfForm(field)).slice(0, maxKeys)
  return unlessEmpty(
    Object.fromEntries(given.map(([name, field]) => [name.replace(notInKey, '_'), truncate(field, maxText)])),
  )
}

/** Intercom's standard fields of a person. Undefined if none is known. */
function traitsOf({ phone, firstName, lastName }: { phone?: string; firstName?: string; lastName?: string }) {
  const name = [firstName, lastName].filter(Boolean).join(' ') || undefined
  return unlessEmpty({ name, phone })
}

/** Finds a contact, then updates it. Skipped for a person whom Intercom does not know. */
const updateSteps = (find: StepSpec, update: (id: string) => StepSpec): RequestSteps => ({
  next({ length, 0: id }) {
    if (length === 0) return find
    if (!id) return { skipped: 'identityMissing' }
    return length === 1 ? update(encodeURIComponent(id)) : undefined
  },
})
