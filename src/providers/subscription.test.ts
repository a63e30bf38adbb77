import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderId } from '#contract/providerIds.ts'
import { standardEvents } from '#contract/standardEvents.ts'
import { bodyValue, exampleInput } from '#provider/engine/exampleRequests.ts'
import { requestsWithReplies } from '#provider/engine/requestsWithReplies.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import { ada } from '#provider/form/exampleData.ts'
import type { Provider } from '#provider/form/provider.ts'
import { cases } from '../../test/fake/cases.ts'
import { examplesOf } from './examples/all.ts'
import { providers } from './index.ts'

/**
 * What subscribes a person at a vendor, according to the vendor's pages. A request is read as lines: `POST <url>`, then
 * each value of the body with its path: `$.profile.subscriptions.email=true`.
 */
type SubscriptionFacts = {
  subscribes: RegExp
  /** Lines that subscribe a person. `subscribes` matches each of them. */
  samples: readonly string[]
  /** The members that hold the sender's own keys, where no name has a meaning for the vendor. */
  free: readonly string[]
  /** If a line of a request matches `where`, another line must match `line`: without it, the vendor subscribes the person. */
  demands?: { where: RegExp; line: RegExp }
  /** The variable for the list to which `Subscribe` adds people, and an example value. */
  list?: Readonly<Record<string, string>>
}

const facts: Readonly<Partial<Record<ProviderId, SubscriptionFacts>>> = {
  activeCampaign: {
    subscribes: /\/contactLists|\.(contactList|lists?|acceptsMarketing)(\..+)?=(?!0$|false$)/,
    samples: ['POST https://x.api-us1.com/api/3/contactLists', '$.ecomCustomer.acceptsMarketing=1'],
    free: ['eventdata'],
    list: { ACTIVE_CAMPAIGN_LIST_ID: '2' },
  },
  airship: {
    subscribes:
      /\/api\/(channels|subscription_lists|named_users\/(?![^/]+\/attributes$))|\.(opt_in|subscription_lists|\w+_opted_in)(\..+)?=/,
    samples: ['POST https://go.urbanairship.com/api/channels/email', '$.channel.commercial_opted_in=2023-11-14'],
    free: ['properties'],
  },
  attentive: {
    subscribes: /\/v1\/subscriptions|\.(signUpSourceId|subscriptionType|subscriptions)(\..+)?=/,
    samples: ['POST https://api.attentivemobile.com/v1/subscriptions', '$.signUpSourceId=1'],
    free: ['properties'],
  },
  bloomreach: {
    subscribes: /\.event_type=consent$|\.consents(\..+)?=/,
    samples: ['$.event_type=consent'],
    free: ['properties'],
  },
  braze: {
    subscribes: /\/subscription\/|\.(email_subscribe|push_subscribe|subscription_\w+)(\..+)?=/,
    samples: ['POST https://rest.iad-01.braze.com/subscription/status/set', '$.attributes.0.email_subscribe=opted_in'],
    free: ['properties'],
  },
  brevo: {
    subscribes: /\/v3\/(contacts\/|consent)|\.(listIds|\w+Blacklisted|OPT_IN|DOUBLE_OPT-IN)(\..+)?=/,
    samples: [
      'POST https://api.brevo.com/v3/contacts/lists/2/contacts/add',
      '$.listIds.0=2',
      '$.contact_properties.OPT_IN=true',
    ],
    free: ['event_properties'],
    list: { BREVO_LIST_ID: '2' },
  },
  cleverTap: {
    subscribes: /\.MSG-\w+=(?!false$)/,
    samples: ['$.d.0.profileData.MSG-email=true'],
    free: ['evtData'],
  },
  customerIo: {
    subscribes: /\.(unsubscribed=(?!true$)|cio_subscription_preferences)/,
    samples: ['$.attributes.unsubscribed=false', '$.cio_subscription_preferences.topics.topic_1=true'],
    free: ['data'],
  },
  dotdigital: {
    subscribes: /\/(address-books|lists)\/|\.(optInType|consentRecords|lists)(\..+)?=|\.status=subscribed$/i,
    samples: [
      'POST https://r1-api.dotdigital.com/v2/address-books/1/contacts',
      '$.channelProperties.email.optInType=Double',
    ],
    free: ['data', 'eventData', 'json'],
    list: { DOTDIGITAL_LIST_ID: '1234' },
  },
  drip: {
    subscribes:
      /\/(subscribers\/.+|campaigns|forms)(\/|$)|\.(initial_status|status)=(?!unsubscribed$)|\.(eu_consent|double_optin)=/,
    samples: [
      'POST https://api.getdrip.com/v2/1/campaigns/2/subscribers',
      '$.initial_status=active',
      '$.orders.0.status=active',
    ],
    free: ['properties'],
    list: { DRIP_LIST_CAMPAIGN_ID: '888888' },
    demands: { where: /^POST .*\/(shopper_activity\/|subscribers$)/, line: /\.initial_status=unsubscribed$/ },
  },
  emarsys: {
    subscribes: /\/contactlist|\.(31=1|opt_?in=(?!0$|false$))/i,
    samples: ['POST https://api.emarsys.net/api/v2/contactlist/1/add', '$.31=1'],
    free: ['data', 'payload'],
  },
  hubspot: {
    subscribes: /\/(communication-preferences|lists)\/|\.(legalConsentOptions|subscriptions?)(\..+)?=/,
    samples: [
      'POST https://api.hubapi.com/communication-preferences/v4/statuses/x',
      '$.legalConsentOptions.consent=true',
    ],
    free: ['properties'],
  },
  intercom: {
    subscribes: /\/subscriptions|\.(unsubscribed_from_emails=(?!true$)|consent_type=)/,
    samples: ['POST https://api.intercom.io/contacts/1/subscriptions', '$.unsubscribed_from_emails=false'],
    free: ['metadata'],
  },
  iterable: {
    subscribes: /\/(lists|subscriptions)\/|\/users\/updateSubscriptions|\.(listId|emailListIds|subscribed\w+)(\..+)?=/,
    samples: ['POST https://api.iterable.com/api/lists/subscribe', '$.user.subscribedMessageTypeIds.0=1'],
    free: ['dataFields'],
    list: { ITERABLE_LIST_ID: '12345' },
  },
  klaviyo: {
    subscribes: /\/(profile-subscription|lists\/)|\.(subscriptions|consent|list_id)(\..+)?=/,
    samples: [
      'POST https://a.klaviyo.com/api/profile-subscription-bulk-create-jobs',
      '$.data.attributes.subscriptions.email.marketing.consent=SUBSCRIBED',
    ],
    free: ['properties'],
    list: { KLAVIYO_LIST_ID: 'Y6nRLr' },
  },
  listrak: {
    subscribes: /\/List\/\d+\/Contact|\.subscriptionState=(?!Unsubscribed$)/i,
    samples: ['POST https://api.listrak.com/email/v1/List/1/Contact', '$.subscriptionState=Subscribed'],
    free: ['data', 'meta'],
  },
  mailchimp: {
    subscribes:
      /\.(status|status_if_new)=(subscribed|pending)$|\.(opt_in_status|double_optin)=true$|\.marketing_permissions/,
    samples: ['$.status_if_new=subscribed', '$.customer.opt_in_status=true'],
    free: ['properties'],
    list: { MAILCHIMP_LIST_STATUS: 'subscribed' },
  },
  moEngage: {
    subscribes: /\.(moe_\w+|\w*_?(opt_in|subscribed|subscription)\w*)(\..+)?=/i,
    samples: ['$.attributes.moe_email_opt_in=true', '$.attributes.sms_subscribed=true'],
    // Only for events: a profile's attributes are set by the provider file.
    free: ['actions'],
  },
  omnisend: {
    subscribes: /\/(contacts|segments)(\/|$)|\.(consents|channels|optIns|status|sendWelcome\w+|tags)(\..+)?=/,
    samples: ['POST https://api.omnisend.com/v5/contacts', '$.contact.channels.email.status=subscribed'],
    free: ['properties'],
    list: { OMNISEND_OPT_IN: '1' },
  },
  oneSignal: {
    subscribes: /\/subscriptions|\.(subscriptions|notification_types|enabled)(\..+)?=/,
    samples: ['POST https://api.onesignal.com/apps/x/users/by/y/z/subscriptions', '$.subscriptions.0.enabled=true'],
    free: ['payload', 'properties'],
  },
  postscript: {
    subscribes: /^POST .*\/subscribers|\.(keyword|keyword_id|origin)=/,
    samples: ['POST https://api.postscript.io/api/v2/subscribers', '$.keyword=WELCOME'],
    free: ['properties'],
  },
  sailthru: {
    subscribes: /\.com\/user$|\.(lists|optout_\w+)(\..+)?=/,
    samples: ['POST https://api.sailthru.com/user', '$.json.lists.Main=1'],
    free: ['vars'],
  },
  salesforceMarketingCloud: {
    subscribes: /\/subscribers|\.(SubscriberStatus|status)=active$|\.lists(\..+)?=/i,
    samples: ['POST https://x.rest.marketingcloudapis.com/subscribers', '$.SubscriberStatus=Active'],
    free: ['Data', 'values'],
  },
  webEngage: {
    subscribes: /\.\w+(OptIn|_opt_in)=(?!false$)/,
    samples: ['$.emailOptIn=true', '$.attributes.we_sms_opt_in=true'],
    free: ['eventData'],
  },
  yotpo: {
    subscribes: /\.accepts_\w*marketing=(?!false$)/,
    samples: ['$.order.customer.accepts_sms_marketing=true'],
    free: [],
  },
}

/**
 * The values in a JSON value with their paths, without those below a member in `free`. Texts that hold a JSON object
 * are parsed.
 */
function linesOf(value: unknown, path: string, free: readonly string[]): string[] {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return linesOf(JSON.parse(value), path, free)
    } catch {
      return [`${path}=${value}`]
    }
  }
  if (typeof value !== 'object' || value === null) return [`${path}=${value}`]
  return Object.entries(value).flatMap(([key, inner]) =>
    free.includes(key) ? [] : linesOf(inner, `${path}.${key}`, free),
  )
}

const requestLines = (request: WireRequest, free: readonly string[]): string[] => [
  `${request.method} ${request.url}`,
  ...linesOf(bodyValue(request), '$', free),
]

/** The lines that subscribe the person, and the required lines that are missing. */
function subscribingLines(request: WireRequest, { subscribes, free, demands }: SubscriptionFacts): string[] {
  const lines = requestLines(request, free)
  const isDemanded = demands && lines.some((line) => demands.where.test(line))
  return [
    ...lines.filter((line) => subscribes.test(line)),
    ...(isDemanded && !lines.some((line) => demands.line.test(line)) ? [`without ${demands.line.source}`] : []),
  ]
}

/** Event keys that a sender can set and that would subscribe the person at some vendor if sent as the vendor's own fields. */
const subscribingKeys = {
  subscriptions: { email: { marketing: { consent: 'SUBSCRIBED' } } },
  email_subscribe: 'opted_in',
  listIds: [1],
  listId: 1,
  lists: { Main: 1 },
  consents: [{ channel: 'email' }],
  initial_status: 'active',
  status: 'subscribed',
  emailOptIn: true,
  'MSG-email': true,
  accepts_sms_marketing: true,
  acceptsMarketing: 1,
  opt_in_status: true,
  keyword: 'WELCOME',
  signUpSourceId: '1',
  unsubscribed: false,
  unsubscribed_from_emails: false,
  31: 1,
}
const shopData = {
  value: 10,
  currency: 'EUR',
  orderId: 'A-1',
  cartId: 'c-1',
  cartUrl: 'https://shop.example/cart',
  checkoutId: 'ch-1',
  contents: [{ id: 'sku-1', title: 'Runner', item_price: 5, quantity: 2 }],
}
const ownData = fc
  .subarray(Object.keys(subscribingKeys))
  .map((keys) => Object.fromEntries(keys.map((key) => [key, subscribingKeys[key as keyof typeof subscribingKeys]])))
const consent = fc.record({
  advertising: fc.constantFrom('granted', 'denied', 'unknown'),
  functional: fc.constantFrom('granted', 'denied', 'unknown'),
})
const otherNames = [
  ...Object.keys(standardEvents).filter((name) => name !== 'Subscribe'),
  'Refund',
  'Subscribed',
  'consent',
  'Newsletter signup',
]

const isSent = ({ sends }: ProviderExample) => !('skipped' in sends) && sends.length > 0

/** Examples with each of these event names, or an update of a person, with an example's secrets and the customer's list. */
function anyExample(id: string, names: readonly string[] | undefined, secrets: object) {
  const sent = examplesOf(id)
    .filter(isSent)
    .filter(({ event }) => names || event.eventName !== 'Subscribe')
  return fc
    .record({
      base: fc.constantFrom(...sent),
      own: ownData,
      custom: ownData,
      consent,
      name: fc.nat(),
      isOwn: fc.boolean(),
    })
    .map(({ base, own, custom, consent: given, name, isOwn }): ProviderExample => {
      const choices = names ?? [base.event.eventName, ...otherNames]
      const eventName = isOwn && !names ? base.event.eventName : choices[name % choices.length]!
      const data = { ...shopData, ...(base.event.data as object | undefined), ...own }
      const { kind, ...rest } = base
      const event = { ...base.event, eventName, data }
      const isUpdate = kind && !names
      return {
        ...rest,
        ...(isUpdate && { kind }),
        event,
        custom,
        consent: given,
        user: { ...ada, ...base.user },
        secrets: { ...base.secrets, ...secrets },
      }
    })
}

function requestsOf(id: string, provider: Provider, example: ProviderExample): WireRequest[] {
  const built = requestsWithReplies(id, provider, exampleInput(example), example.replies)
  return 'skipped' in built ? [] : built.requests
}

for (const [id, known] of Object.entries(facts)) {
  test(`what subscribes at ${id} is recognised`, () => {
    for (const sample of known.samples) assert.match(sample, known.subscribes)
  })

  const provider = providers[id as ProviderId]
  if (!provider) continue

  test(`${id} subscribes nobody by an event that is not Subscribe, even where the customer set a list`, () => {
    let requests = 0
    const property = fc.property(anyExample(id, undefined, known.list ?? {}), (example) => {
      for (const request of requestsOf(id, provider, example)) {
        requests++
        assert.deepEqual(subscribingLines(request, known), [])
      }
    })
    fc.assert(property, { numRuns: cases(200) })
    assert.ok(requests > 0, 'no request was built')
  })

  test(`${id} subscribes nobody by Subscribe where the customer set no list`, () => {
    const unset = Object.fromEntries(Object.keys(known.list ?? {}).map((variable) => [variable, '']))
    const property = fc.property(anyExample(id, ['Subscribe'], unset), (example) => {
      for (const request of requestsOf(id, provider, example)) assert.deepEqual(subscribingLines(request, known), [])
    })
    fc.assert(property, { numRuns: cases(50) })
  })

  if (known.list)
    test(`${id} subscribes by Subscribe where the customer set the list`, () => {
      const variables = Object.keys(known.list ?? {})
      const example = examplesOf(id).find(
        ({ event, secrets }) => event.eventName === 'Subscribe' && variables.every((variable) => secrets[variable]),
      )
      assert.ok(example, 'no example of Subscribe with a list')
      const requests = requestsOf(id, provider, example)
      assert.ok(requests.some((request) => subscribingLines(request, known).length > 0))
    })

  test(`${id} subscribes nobody who refused advertising`, () => {
    const property = fc.property(anyExample(id, ['Subscribe'], known.list ?? {}), (example) => {
      const refused = { ...example, consent: { ...example.consent, advertising: 'denied' as const } }
      for (const request of requestsOf(id, provider, refused)) assert.deepEqual(subscribingLines(request, known), [])
    })
    fc.assert(property, { numRuns: cases(50) })
  })

  test(`${id} has no variable for a list that this law does not know`, () => {
    const isList = (variable: string) =>
      /(^|_)(LISTS?|SUBSCRIPTION|SIGN_UP|OPT_IN|PURPOSES?|CONSENT)(_|$)/.test(variable)
    assert.deepEqual(Object.keys(provider.secrets).filter(isList).sort(), Object.keys(known.list ?? {}).sort())
  })
}

test('a request that subscribes is found in JSON, in a form and by its address, and the keys of the sender are not', () => {
  const request = (url: string, body: string, type = 'application/json') =>
    ({ method: 'POST', url, headers: { 'content-type': type }, body }) as WireRequest
  const found = (id: ProviderId, each: WireRequest) => subscribingLines(each, facts[id]!)
  const drip = 'https://api.getdrip.com/v3/1/shopper_activity/order'
  assert.deepEqual(found('drip', request(drip, '{}')), ['without \\.initial_status=unsubscribed$'])
  assert.deepEqual(found('drip', request(drip, '{"initial_status":"unsubscribed"}')), [])
  assert.equal(found('drip', request('https://api.getdrip.com/v2/1/subscribers', '{}')).length, 1)
  const form = new URLSearchParams({ json: '{"lists":{"Main":1},"vars":{"lists":1}}' }).toString()
  assert.deepEqual(
    found('sailthru', request('https://api.sailthru.com/event', form, 'application/x-www-form-urlencoded')),
    ['$.json.lists.Main=1'],
  )
})
