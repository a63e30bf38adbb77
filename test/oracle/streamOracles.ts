import { exampleServiceAccount } from '#provider/vendors/exampleServiceAccount.ts'
import { at, lead, type Oracle, pageView, person, purchase } from './oracle.ts'

const secrets = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }

type Client = { send(command: object): Promise<unknown> }
type Of<T> = new (input: object) => T

/** The options of an AWS client that sends over HTTP/1.1 to a test server. */
function options(url: string, load: (name: string) => unknown) {
  const { NodeHttpHandler } = load('@smithy/node-http-handler') as { NodeHttpHandler: Of<object> }
  return { region: 'eu-west-1', endpoint: url, credentials, requestHandler: new NodeHttpHandler({}), maxAttempts: 1 }
}

/**
 * Parses the JSON text in each row of a body: two texts of the same value can differ in member order.
 */
const withParsed = (list: string, member: string, parse: (text: string) => unknown) => (body: unknown) => {
  const { [list]: rows, ...rest } = body as Record<string, Record<string, string>[]>
  return { ...rest, [list]: rows!.map((row) => ({ ...row, [member]: parse(row[member]!) })) }
}

const signed = 'The time is part of a signature, and the SDK signs headers of its own too.'
const events = [purchase, lead]

const amazonKinesis: Oracle = {
  id: 'amazonKinesis',
  sdk: '@aws-sdk/client-kinesis',
  secrets: { ...secrets, KINESIS_STREAM_NAME: 'events', KINESIS_PARTITION_KEY: 'eventId' },
  send(exports, url, load) {
    const { KinesisClient, PutRecordsCommand } = exports as {
      KinesisClient: Of<Client>
      PutRecordsCommand: Of<object>
    }
    const Records = events.map((event) => ({
      PartitionKey: event.eventId,
      Data: Buffer.from(JSON.stringify(event)),
    }))
    const client = new KinesisClient(options(url, load))
    return client.send(new PutRecordsCommand({ StreamName: 'events', Records }))
  },
  read: withParsed('Records', 'Data', (text) => JSON.parse(Buffer.from(text, 'base64').toString())),
  explained: { 'authorization: another value': signed },
}

const amazonEventBridge: Oracle = {
  id: 'amazonEventBridge',
  sdk: '@aws-sdk/client-eventbridge',
  secrets: { ...secrets, EVENTBRIDGE_BUS_NAME: 'shop', EVENTBRIDGE_SOURCE: 'shop.example' },
  send(exports, url, load) {
    const { EventBridgeClient, PutEventsCommand } = exports as {
      EventBridgeClient: Of<Client>
      PutEventsCommand: Of<object>
    }
    const Entries = events.map((event) => ({
      Source: 'shop.example',
      DetailType: event.eventName,
      Detail: JSON.stringify(event),
      EventBusName: 'shop',
      Time: new Date(event.timestamp),
      Resources: [],
    }))
    return new EventBridgeClient(options(url, load)).send(new PutEventsCommand({ Entries }))
  },
  read: withParsed('Entries', 'Detail', JSON.parse),
  explained: { 'authorization: another value': signed },
}

const gcpPubSub: Oracle = {
  id: 'gcpPubSub',
  sdk: '@google-cloud/pubsub',
  secrets: {
    DESTINATION: 'self',
    SELF_SERVE_TOPIC: 'projects/shop/topics/events',
    SELF_SERVE_SERVICE_ACCOUNT_JSON: exampleServiceAccount,
  },
  token: 'token-1',
  send(exports, url, load) {
    type Publisher = { publish(request: object): Promise<unknown> }
    const { v1 } = exports as { v1: { PublisherClient: Of<Publisher> } }
    type Auth = { setCredentials(credentials: object): void }
    const { OAuth2Client } = load('google-auth-library') as { OAuth2Client: new () => Auth }
    const authClient = new OAuth2Client()
    authClient.setCredentials({ access_token: 'token-1' })
    const { hostname: apiEndpoint, port } = new URL(url)
    const messages = events.map((event) => ({
      data: Buffer.from(JSON.stringify(event)),
      attributes: { eventName: event.eventName, eventId: event.eventId },
    }))
    // over HTTP and JSON instead of gRPC
    const transport = { fallback: true, protocol: 'http', apiEndpoint, port: Number(port) }
    const publisher = new v1.PublisherClient({ ...transport, authClient, projectId: 'shop' })
    return publisher.publish({ topic: 'projects/shop/topics/events', messages })
  },
  read: withParsed('messages', 'data', (text) => JSON.parse(Buffer.from(text, 'base64').toString())),
  explained: { 'query.$alt: theirs only': 'It asks for the numbers of enumerations in the answer, which has none.' },
}

const snowplow: Oracle = {
  id: 'snowplow',
  sdk: '@snowplow/node-tracker',
  secrets: { SNOWPLOW_COLLECTOR_URL: 'https://collector.shop.example', SNOWPLOW_APP_ID: 'shop' },
  events: [pageView, { ...lead, data: {} }],
  async send(exports, url) {
    type Tracker = { track(event: object, contexts: [], timestamp: object): void; flush(): Promise<void> }
    const { newTracker, buildPageView, buildStructEvent } = exports as {
      newTracker(
        tracker: object,
        emitter: object,
      ): Tracker & Record<'setUserId' | 'setIpAddress' | 'setUseragent', (value: string) => void>
      buildPageView(event: object): object
      buildStructEvent(event: object): object
    }
    const tracker = newTracker(
      { namespace: 'aglet', appId: 'shop', encodeBase64: true },
      { endpoint: url, eventMethod: 'post', bufferSize: 2 },
    )
    tracker.setUserId(person.customerId)
    tracker.setIpAddress(person.ip)
    tracker.setUseragent(person.userAgent)
    const time = { type: 'dtm', value: at }
    tracker.track(buildPageView({ pageUrl: pageView.pageUrl, pageTitle: pageView.pageTitle }), [], time)
    tracker.track(buildStructEvent({ category: 'ecommerce', action: 'Lead' }), [], time)
    await tracker.flush()
  },
  explained: {
    'body.data.*.eid: another value':
      'The SDK makes a random one; ours is the eventId, so that a retry is no second event.',
    'body.data.*.stm: another value': 'The time of sending.',
    'body.data.*.tv: another value': 'The SDK names itself.',
    'body.data.*.url: ours only': 'The page of a structured event, which the SDK of a server is not told.',
    'body.data.*.page: ours only': 'Its title.',
  },
}

export const streamOracles: readonly Oracle[] = [amazonKinesis, amazonEventBridge, gcpPubSub, snowplow]
