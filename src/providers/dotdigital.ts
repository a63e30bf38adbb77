import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'
import { collectionCheck, contactUpdate, eventOf, orderRecord, subscriptionOf } from './schemas/dotdigital.ts'

const hosts = { r1: 'r1-api.dotdigital.com', r2: 'r2-api.dotdigital.com', r3: 'r3-api.dotdigital.com' }
const { check, choices, regionHosts } = region(hosts, '')
const { PageView: _, ...names } = standardEventNames

export default provider({
  label: 'Dotdigital',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developer.dotdigital.com/reference/importevents',
  dashboardUrl: 'https://login.dotdigital.com',
  links: {
    onboarding: 'https://developer.dotdigital.com/docs/authentication',
    introduction: 'https://developer.dotdigital.com/reference/putcontactinsightdatarecord',
    faq: 'https://developer.dotdigital.com/docs/call-rate-limits',
  },
  host: 'fixed',

  secrets: {
    DOTDIGITAL_API_USER: identifier('API user', 'Settings, Access, API users: its e-mail.', {
      placeholder: 'apiuser-0123456789ab@apiconnector.com',
    }),
    DOTDIGITAL_API_PASSWORD: password('API password', 'The password that was set for the API user.'),
    DOTDIGITAL_REGION: text(
      'Region',
      'The first part of the address of your account: r1 is Europe, r2 the US, r3 Asia.',
      { placeholder: 'r1', check, choices, regionHosts },
    ),
    DOTDIGITAL_ORDERS_COLLECTION: text(
      'Orders collection',
      'Contacts, Insight data: the name of the collection for orders. When it is set, Purchase is written there as well.',
      {
        ...optional,
        placeholder: 'Orders',
        check: collectionCheck,
      },
    ),
    DOTDIGITAL_LIST_ID: listVariable('List', 'Contacts, Lists: the number in the address.', '1234'),
    DOTDIGITAL_TRAITS: traitMapping('a data field of your contacts', ['tier', 'TIER'], { keys: 'custom' }),
  },

  events: names,
  customEventName: (eventName) => truncate(eventName, 80),
  user: {
    email: plain('email', emailAddress),
    mobileNumber: plain('phone', validE164),
    FIRSTNAME: plain('firstName'),
    LASTNAME: plain('lastName'),
    POSTCODE: plain('zip'),
  },
  requires: ['email', 'mobileNumber'],
  acceptsUserEvents: true,
  dedup: '[].id, the eventId; an order is replaced by its id',

  request(context, secrets, type) {
    const { event, orderId, user } = context
    const { email, mobileNumber, ...fields } = user
    const {
      DOTDIGITAL_API_USER: name,
      DOTDIGITAL_API_PASSWORD: secret,
      DOTDIGITAL_ORDERS_COLLECTION: collection,
    } = secrets
    const api = `https://${regionHost(hosts, secrets.DOTDIGITAL_REGION)}`
    const headers = { authorization: basicAuth(name, secret) }
    const contactIdentity = email
      ? { identifier: 'email', value: email }
      : { identifier: 'mobileNumber', value: mobileNumber }
    const traits = () => ({ ...fields, ...mappedTraits(context, secrets.DOTDIGITAL_TRAITS) })
    if (context.kind === 'user') return contactUpdate(traits(), contactIdentity, { api, headers })
    const request = { url: `${api}/events/v3/import`, headers, json: [{ contactIdentity, ...eventOf(context, type) }] }
    const add = (list: string) => subscriptionOf(email, list, { api, headers })
    if (event.eventName !== 'Purchase' || !collection || !email)
      return withSubscription(context, secrets.DOTDIGITAL_LIST_ID, add, request)
    const record = [email, collection, truncate(orderId, 255)].map(encodeURIComponent).join('/')
    const json = orderRecord(context)
    return [request, { method: 'PUT', url: `${api}/insightData/v3/contacts/email/${record}`, headers, json }]
  },
  batch: {
    maxEvents: 5_000,
    joinKey: ({ url }) => (url.endsWith('/import') ? url : undefined),
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as object[]) }),
  },

  // accounts with an hourly allowance answer 400 when it is used up
  responseRules: [{ status: 400, matches: /APIUSAGE_EXCEEDED/i, verdict: 'throttled' }],
})
