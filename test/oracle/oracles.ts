import http from 'node:http'
import https from 'node:https'
import { at, lead, type Oracle, type OraclePerson, ofPeople, person, purchase } from './oracle.ts'

const when = new Date(at)
const pages = [purchase, lead].map(({ pageUrl, pageTitle }) => ({ url: pageUrl, title: pageTitle }))
const { value, currency, orderId: order_id, contents } = purchase.data
const offer = lead.data
const itself = 'The SDK names itself.'
const sentAt = 'The SDK corrects the clock of its host by it. Ours is set, and the time of an event is given.'

type Track = { track(call: object): unknown }

/** The two events as Segment calls, by its specification of e-commerce events. */
const callsOf = (user: OraclePerson) =>
  pages.map((page, n) => ({
    userId: user.customerId,
    anonymousId: user.userId,
    event: n === 0 ? 'Order Completed' : 'Lead',
    messageId: [purchase, lead][n]!.eventId,
    timestamp: when,
    properties:
      n === 0
        ? {
            order_id,
            revenue: value,
            value,
            total: value,
            currency,
            products: contents.map(({ id, title, item_price, quantity }) => ({
              product_id: id,
              name: title,
              price: item_price,
              quantity,
            })),
          }
        : { value: offer.value, currency: offer.currency },
    context: {
      ip: user.ip,
      userAgent: user.userAgent,
      page: { ...page, path: new URL(page.url).pathname },
      ...(user.email && { traits: { email: user.email } }),
    },
  }))

const segment = (user: OraclePerson): Oracle => ({
  id: 'segment',
  sdk: '@segment/analytics-node',
  secrets: { WRITE_KEY: 'write-key-1' },
  send(exports, url) {
    type Analytics = Track & { closeAndFlush(): Promise<void> }
    const { Analytics } = exports as { Analytics: new (options: object) => Analytics }
    const analytics = new Analytics({ writeKey: 'write-key-1', host: url, maxEventsInBatch: 2 })
    for (const call of callsOf(user)) analytics.track(call)
    return analytics.closeAndFlush()
  },
  explained: {
    'body.batch.*.context.library: theirs only': itself,
    'body.batch.*._metadata: theirs only': itself,
    'body.batch.*.integrations: theirs only': 'It is empty: every destination gets the event.',
    'body.sentAt: theirs only': sentAt,
    'body.writeKey: theirs only': 'The header Authorization holds it too.',
  },
})

const rudderStack = (user: OraclePerson): Oracle => ({
  id: 'rudderStack',
  sdk: '@rudderstack/rudder-sdk-node',
  secrets: {
    RUDDERSTACK_DATA_PLANE_URL: 'https://shop.dataplane.rudderstack.com',
    RUDDERSTACK_WRITE_KEY: 'write-key-1',
  },
  async send(exports, url) {
    type Client = Track & { flushed: boolean; flush(): Promise<unknown> }
    const Analytics = exports as new (key: string, options: object) => Client
    const client = new Analytics('write-key-1', { dataPlaneUrl: url, flushAt: 2 })
    // otherwise the first event is sent alone
    client.flushed = true
    for (const call of callsOf(user)) client.track(call)
    await client.flush()
  },
  explained: {
    'contentType: another value':
      'The SDK compresses the body and leaves the type of a form; RudderStack documents JSON.',
    'body.batch.*.context.library.name: another value': itself,
    'body.batch.*.context.library.version: theirs only': itself,
    'body.batch.*._metadata: theirs only': itself,
    'body.batch.*.channel: theirs only': itself,
    'body.batch.*.originalTimestamp: theirs only': sentAt,
    'body.batch.*.sentAt: theirs only': sentAt,
    'body.sentAt: theirs only': sentAt,
    'body.timestamp: theirs only': sentAt,
  },
})

const amplitude = (user: OraclePerson): Oracle => ({
  id: 'amplitude',
  sdk: '@amplitude/analytics-node',
  secrets: { AMPLITUDE_API_KEY: '0123456789abcdef0123456789abcdef' },
  async send(exports, url) {
    type Sent = { promise: Promise<unknown> }
    type Amplitude = { init(key: string, options: object): Sent; track(event: object): Sent }
    const { init, track } = exports as Amplitude
    const serverUrl = `${url}/2/httpapi`
    await init('0123456789abcdef0123456789abcdef', {
      serverUrl,
      minIdLength: 1,
      flushQueueSize: 2,
      flushIntervalMillis: 10,
    }).promise
    const common = {
      user_id: user.customerId,
      device_id: user.userId,
      time: at,
      ip: user.ip,
      user_agent: user.userAgent,
      platform: 'Web',
      ...(user.email && { user_properties: { email: user.email } }),
    }
    const page = pages.map(({ url: page_url, title: page_title }) => ({ page_url, page_title }))
    const sent = [
      {
        event_type: 'Purchase',
        insert_id: purchase.eventId,
        event_properties: { ...page[0], value, currency, order_id, contents },
        revenue: value,
        currency,
        revenueType: 'Purchase',
        productId: 'sku-1',
      },
      { event_type: 'Lead', insert_id: lead.eventId, event_properties: { ...page[1], ...offer } },
    ].map((event) => track({ ...common, ...event }).promise)
    await Promise.all(sent)
  },
  explained: {
    'body.events.*.event_id: theirs only':
      'A number of the process, by which Amplitude orders events of the same time.',
    'body.events.*.library: theirs only': itself,
    'body.client_upload_time: theirs only': sentAt,
  },
})

/** The SDK requires HTTPS for its credentials, which the test server lacks. Only the transport is replaced. */
async function overHttp(send: () => Promise<unknown>): Promise<void> {
  const { request } = https
  const plain = (options: http.RequestOptions, told: (response: http.IncomingMessage) => void) =>
    http.request({ ...options, agent: undefined }, told)
  https.request = plain as typeof https.request
  try {
    await send()
  } finally {
    https.request = request
  }
}

const mixpanel = (user: OraclePerson): Oracle => ({
  id: 'mixpanel',
  sdk: 'mixpanel',
  secrets: {
    MIXPANEL_PROJECT_TOKEN: 'token-1',
    MIXPANEL_PROJECT_ID: '1234567',
    MIXPANEL_SERVICE_ACCOUNT: 'shop.1a2b3c.mp-service-account:s3cret',
  },
  send(exports, url) {
    type Client = { import_batch(events: object[], told: () => void): void }
    type Mixpanel = {
      init(token: string, options: object): Client
      ServiceAccountCredentials: new (user: string, secret: string, projectId: string) => object
    }
    const { init, ServiceAccountCredentials } = exports as Mixpanel
    const credentials = new ServiceAccountCredentials('shop.1a2b3c.mp-service-account', 's3cret', '1234567')
    const client = init('token-1', { host: new URL(url).host, protocol: 'https', credentials })
    // https://docs.mixpanel.com/docs/tracking-methods/id-management/identifying-users-simplified
    const distinct_id = user.customerId ?? `$device:${user.userId}`
    const common = { time: when, distinct_id, $user_id: user.customerId, $device_id: user.userId, ip: user.ip }
    const events = [
      {
        event: 'Purchase',
        properties: { ...common, $insert_id: purchase.eventId, value, currency, order_id, contents },
      },
      { event: 'Lead', properties: { ...common, $insert_id: lead.eventId, ...offer } },
    ].map(({ event, properties }, n) => {
      const { url: $current_url, title: current_page_title } = pages[n]!
      return { event, properties: { ...properties, $current_url, current_page_title } }
    })
    return overHttp(() => new Promise<void>((resolve) => client.import_batch(events, resolve)))
  },
  explained: {
    'contentType: another value': 'The SDK sends JSON in base64 as a form; the page of /import documents JSON.',
    'query.ip: theirs only':
      'It keeps Mixpanel from the address of the server; the property ip does so for each event.',
    'query.verbose: theirs only': 'It asks for an answer in another form.',
    'query.strict: ours only':
      'The page of /import recommends it: without it a wrong event is dropped without an error.',
    'body.*.properties.token: theirs only': 'The project is that of the credentials.',
  },
})

const postHog = (user: OraclePerson): Oracle => ({
  id: 'postHog',
  sdk: 'posthog-node',
  secrets: { POSTHOG_PROJECT_API_KEY: 'phc_0123456789' },
  send(exports, url) {
    type Client = { capture(event: object): void; shutdown(): Promise<void> }
    const { PostHog } = exports as { PostHog: new (key: string, options: object) => Client }
    const client = new PostHog('phc_0123456789', { host: url, flushAt: 2, disableGeoip: false })
    const common = { distinctId: user.customerId ?? user.userId!, timestamp: when }
    const profile = user.customerId ? { $set: { email: user.email } } : { $process_person_profile: false }
    for (const [n, { eventName: event, eventId: uuid }] of [purchase, lead].entries())
      client.capture({
        ...common,
        event,
        uuid,
        properties: {
          ...(n === 0 ? { value, currency, order_id, contents } : offer),
          $current_url: pages[n]!.url,
          title: pages[n]!.title,
          $ip: user.ip,
          $raw_user_agent: user.userAgent,
          ...profile,
        },
      })
    return client.shutdown()
  },
  explained: {
    'body.batch.*.distinct_id: theirs only': 'The page of /batch shows it among the properties.',
    'body.batch.*.properties.distinct_id: ours only': 'The page of /batch shows it there.',
    'body.batch.*.properties.$insert_id: ours only': 'The eventId, also where it is no UUID.',
    'body.batch.*.properties.$lib: theirs only': itself,
    'body.batch.*.properties.$lib_version: theirs only': itself,
    'body.batch.*.properties.$is_server: theirs only': itself,
    'body.sent_at: theirs only': sentAt,
  },
})

const matomo: Oracle = {
  id: 'matomo',
  user: { ...person, userId: 'usr_1' },
  sdk: 'matomo-tracker',
  secrets: { MATOMO_URL: 'https://shop.matomo.cloud', MATOMO_SITE_ID: '1' },
  send(exports, url) {
    type Tracker = { trackBulk(hits: object[], told: () => void): void }
    const Tracker = exports as new (siteId: number, url: string) => Tracker
    const common = { apiv: 1, send_image: 0, uid: person.customerId, ua: person.userAgent, cdt: at / 1_000 }
    const items = JSON.stringify(contents.map((item) => [item.id, item.title, '', item.item_price, item.quantity]))
    const hits = [
      { idgoal: 0, ec_id: order_id, revenue: value, ec_st: value, ec_items: items, rand: purchase.eventId },
      { ca: 1, e_c: 'ecommerce', e_a: 'Lead', e_n: 'Offer', e_v: offer.value, rand: lead.eventId },
    ].map((hit, n) => ({ ...common, ...hit, url: pages[n]!.url, action_name: pages[n]!.title }))
    return new Promise<void>((resolve) => new Tracker(1, `${url}/matomo.php`).trackBulk(hits, resolve))
  },
  read: (body) => {
    const { requests, ...rest } = body as { requests: string[] }
    return { ...rest, requests: requests.map((hit) => Object.fromEntries(new URLSearchParams(hit))) }
  },
  explained: {
    'body.requests.*._id: ours only': 'the visitor id, derived from the user: the tracker leaves it to the caller',
  },
}

export const oracles: readonly Oracle[] = [
  ...[segment, mixpanel, amplitude, postHog, rudderStack].flatMap((each) => [each(person), ...ofPeople(each)]),
  matomo,
]
