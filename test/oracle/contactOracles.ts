import { createHash } from 'node:crypto'
import { toUlid } from '#provider/form/ids.ts'
import { at, lead, type Oracle, type OraclePerson, ofPeople, person, purchase } from './oracle.ts'

type New<T> = new (...options: unknown[]) => T
type Call = (...args: unknown[]) => Promise<unknown>

const when = new Date(at).toISOString()
const known = { ...person, firstName: 'Ada', lastName: 'Lovelace' }
const update = { eventName: 'user', eventId: 'evt-1', timestamp: at, pageUrl: '', pageTitle: '', data: {} }

/** The properties of the two events, as in the mock-ups of the vendors' guides. */
const properties = [purchase, lead].map(({ eventId, pageUrl, pageTitle, data }) => {
  const { orderId, contents, ...amount }: Partial<typeof purchase.data> = data
  return {
    ...amount,
    ...(orderId && { order_id: orderId }),
    event_id: eventId,
    ...(contents && {
      items: contents.map(({ id, title: name, item_price: price, quantity }) => ({ id, name, price, quantity })),
    }),
    page_url: pageUrl,
    page_title: pageTitle,
  }
})

const customerIoSecrets = { CUSTOMER_IO_SITE_ID: 'site-1', CUSTOMER_IO_API_KEY: 'key-1' }

function customerIoClient(exports: unknown, url: string) {
  const { TrackClient } = exports as { TrackClient: New<{ batch: Call; entity: Call }> }
  return new TrackClient('site-1', 'key-1', { url: `${url}/api/v1` })
}

const customerIo = (user: OraclePerson): Oracle => ({
  id: 'customerIo',
  sdk: 'customerio-node',
  secrets: customerIoSecrets,
  send: (exports, url) =>
    customerIoClient(exports, url).batch(
      [purchase, lead].map(({ eventId }, n) => ({
        type: 'person',
        identifiers: user.customerId ? { id: user.customerId } : { email: user.email },
        action: 'event',
        name: ['order_completed', 'lead'][n],
        id: toUlid(eventId, at),
        timestamp: at / 1_000,
        attributes: properties[n],
      })),
    ),
  explained: {},
})

const customerIoUpdate: Oracle = {
  id: 'customerIo',
  sdk: 'customerio-node',
  secrets: customerIoSecrets,
  kind: 'user',
  events: [update],
  user: known,
  send: (exports, url) =>
    customerIoClient(exports, url).entity({
      type: 'person',
      identifiers: { id: person.customerId },
      action: 'identify',
      attributes: { email: person.email, first_name: 'Ada', last_name: 'Lovelace' },
    }),
  explained: {},
}

const hubspotSecrets = {
  HUBSPOT_ACCESS_TOKEN: 'pat-test',
  HUBSPOT_MAPPED_EVENTS: '[["Purchase","pe123_purchase"],["Lead","pe123_lead"]]',
}
const hubspotVersion =
  'The SDK calls version 3 of the interface, which the page keeps as legacy beside the dated versions.'

const hubspot: Oracle = {
  id: 'hubspot',
  sdk: '@hubspot/api-client',
  secrets: hubspotSecrets,
  status: 204,
  send(exports, url) {
    type Client = { events: { send: { batchApi: { send: Call } } } }
    const { Client } = exports as { Client: New<Client> }
    const { batchApi } = new Client({ accessToken: 'pat-test', basePath: url }).events.send
    const inputs = [purchase, lead].map(({ eventId: uuid, data }, n) => ({
      eventName: ['pe123_purchase', 'pe123_lead'][n],
      email: person.email,
      occurredAt: new Date(at),
      uuid,
      properties: {
        value: String(data.value),
        currency: data.currency,
        ...('orderId' in data && { order_id: data.orderId }),
      },
    }))
    return batchApi.send({ inputs })
  },
  explained: { 'path: another value': hubspotVersion },
}

const hubspotUpdate: Oracle = {
  id: 'hubspot',
  sdk: '@hubspot/api-client',
  secrets: hubspotSecrets,
  kind: 'user',
  events: [update],
  user: known,
  send(exports, url) {
    type Client = { crm: { contacts: { batchApi: { upsert: Call } } } }
    const { Client } = exports as { Client: New<Client> }
    return new Client({ accessToken: 'pat-test', basePath: url }).crm.contacts.batchApi.upsert({
      inputs: [{ idProperty: 'email', id: person.email, properties: { firstname: 'Ada', lastname: 'Lovelace' } }],
    })
  },
  explained: {},
}

const brevoClient = (exports: unknown, url: string) => {
  type Client = { event: { createBatchEvents: Call }; contacts: { createContact: Call } }
  const { BrevoClient } = exports as { BrevoClient: New<Client> }
  return new BrevoClient({ apiKey: 'xkeysib-1', baseUrl: `${url}/v3` })
}

const brevo: Oracle = {
  id: 'brevo',
  sdk: '@getbrevo/brevo',
  secrets: { BREVO_API_KEY: 'xkeysib-1' },
  send: (exports, url) =>
    brevoClient(exports, url).event.createBatchEvents({
      events: properties.map(({ event_id: _, items, ...event_properties }, n) => ({
        event_name: ['order_completed', 'lead'][n],
        event_date: when,
        identifiers: { email_id: person.email, ext_id: person.customerId },
        event_properties: {
          ...event_properties,
          ...(items && { items: items.map(({ id: product_id, ...item }) => ({ product_id, ...item })) }),
        },
      })),
    }),
  explained: {},
}

const brevoUpdate: Oracle = {
  id: 'brevo',
  sdk: '@getbrevo/brevo',
  secrets: { BREVO_API_KEY: 'xkeysib-1' },
  kind: 'user',
  events: [update],
  user: { ...known, phone: '+491701234567' },
  send: (exports, url) =>
    brevoClient(exports, url).contacts.createContact({
      email: person.email,
      ext_id: person.customerId,
      attributes: { FIRSTNAME: 'Ada', LASTNAME: 'Lovelace', SMS: '+491701234567' },
      updateEnabled: true,
    }),
  explained: {},
}

const mailchimp: Oracle = {
  id: 'mailchimp',
  sdk: '@mailchimp/mailchimp_marketing',
  secrets: { MAILCHIMP_API_KEY: '0123456789abcdef-us21', MAILCHIMP_AUDIENCE_ID: 'a1b2c3d4e5' },
  events: [lead],
  send(exports, url) {
    type Client = { basePath: string; setConfig(config: object): void; lists: { createListMemberEvent: Call } }
    const client = exports as Client
    client.setConfig({ apiKey: '0123456789abcdef-us21', server: 'us21' })
    client.basePath = `${url}/3.0`
    const member = createHash('md5').update(person.email).digest('hex')
    const texts = Object.entries(properties[1]!).map(([name, value]) => [name, String(value)])
    return client.lists.createListMemberEvent('a1b2c3d4e5', member, {
      name: 'lead',
      properties: Object.fromEntries(texts),
      occurred_at: when,
      is_syncing: false,
    })
  },
  explained: { 'authorization: another value': 'Mailchimp takes any name before the key.' },
}

const app = '00000000-0000-4000-8000-000000000001'
const oneSignalSecrets = { ONESIGNAL_APP_ID: app, ONESIGNAL_API_KEY: 'os_v2_app_test' }

function oneSignalApi(exports: unknown, url: string) {
  type Sdk = {
    createConfiguration(options: object): object
    DefaultApi: New<{ createCustomEvents: Call; updateUser: Call }>
    ServerConfiguration: New<object>
  }
  const { createConfiguration, DefaultApi, ServerConfiguration } = exports as Sdk
  const baseServer = new ServerConfiguration(url, {})
  return new DefaultApi(createConfiguration({ restApiKey: 'os_v2_app_test', baseServer }))
}

const oneSignal: Oracle = {
  id: 'oneSignal',
  sdk: '@onesignal/node-onesignal',
  secrets: oneSignalSecrets,
  send: (exports, url) =>
    oneSignalApi(exports, url).createCustomEvents(app, {
      events: [purchase, lead].map((_, n) => ({
        name: ['purchase', 'lead'][n],
        external_id: person.customerId,
        timestamp: when,
        payload: properties[n],
      })),
    }),
  explained: {
    'body.events.*.payload: theirs only': 'The page of custom events names it properties, and so does its example.',
    'body.events.*.properties: ours only': 'The page of custom events names it so.',
    'body.events.*.idempotency_key: ours only': 'The page of custom events has it; a retry is no second event by it.',
  },
}

const oneSignalUpdate: Oracle = {
  id: 'oneSignal',
  sdk: '@onesignal/node-onesignal',
  secrets: { ...oneSignalSecrets, ONESIGNAL_TRAITS: '[["firstName", "first_name"]]' },
  kind: 'user',
  events: [update],
  user: known,
  send: (exports, url) =>
    oneSignalApi(exports, url).updateUser(app, 'external_id', person.customerId, {
      properties: { tags: { first_name: 'Ada' } },
    }),
  explained: {},
}

const statsig: Oracle = {
  id: 'statsig',
  sdk: 'statsig-node',
  secrets: { STATSIG_SERVER_SECRET: 'secret-1', STATSIG_ENVIRONMENT: 'production' },
  async send(exports, url) {
    type Server = {
      initializeAsync(): Promise<unknown>
      logEventObject(event: object): void
      shutdownAsync(): Promise<void>
    }
    const { StatsigServer } = exports as { StatsigServer: New<Server> }
    const server = new StatsigServer('secret-1', {
      api: `${url}/v1`,
      apiForDownloadConfigSpecs: `${url}/v1`,
      apiForGetIdLists: `${url}/v1`,
      environment: { tier: 'production' },
      disableDiagnostics: true,
    })
    await server.initializeAsync()
    const { customerId: userID, email, ip, userAgent } = person
    for (const [n, event] of [purchase, lead].entries())
      server.logEventObject({
        eventName: event.eventName,
        value: event.data.value,
        time: at,
        user: { userID, email, ip, userAgent },
        metadata: {
          currency: 'EUR',
          ...(n === 0 && { order_id: 'A-1001', content_ids: 'sku-1' }),
          event_id: event.eventId,
          page_url: event.pageUrl,
        },
      })
    await server.shutdownAsync()
  },
  isCompared: ({ path }) => path.endsWith('/log_event'),
  // the SDK reports its start-up time as an event
  read(body) {
    const { events, ...rest } = body as { events: { eventName: string }[] }
    return { ...rest, events: events.filter(({ eventName }) => !eventName.startsWith('statsig::')) }
  },
  explained: {
    'body.statsigMetadata: theirs only': 'The SDK names itself.',
    'body.events.*.statsigMetadata: theirs only': 'It is empty: the rate at which the SDK samples its own reports.',
    'body.events.*.secondaryExposures: theirs only': 'It is empty: the experiments that an event of the SDK proves.',
    'body.events.*.user.privateAttributes: theirs only': 'It is null.',
  },
}

export const contactOracles: readonly Oracle[] = [
  { ...customerIo(person), user: { customerId: person.customerId } },
  ...ofPeople(customerIo, ['an e-mail alone']),
  customerIoUpdate,
  hubspot,
  hubspotUpdate,
  brevo,
  brevoUpdate,
  mailchimp,
  oneSignal,
  oneSignalUpdate,
  statsig,
]
