import { Alert, alertKinds } from './alert.ts'
import { DeploymentChanges } from './deployment.ts'
import { EventPayload } from './event.ts'
import { exampleValues } from './examples/example.ts'
import { environments } from './me.ts'
import { contentOf, type Json, json } from './openapiParts.ts'
import { OptionalText, type TSchema, Type } from './schema.ts'

const { alertId, kind: _, sendings: __, ...alertFields } = Alert.properties
const environment = Type.Enum([...environments])

/** The body of each message to a hook. */
const hookMessage = <Data extends Record<string, TSchema>>(types: readonly string[], data: Data) =>
  Type.Object({
    type: Type.Enum([...types]),
    timestamp: Type.String({ format: 'date-time' }),
    data: Type.Object({ environment, ...data }),
  })

/** A deployment that is about to go live. */
export const PendingDeploymentMessage = hookMessage(['deployment.pending'], {
  teamId: Type.String(),
  tagId: Type.String(),
  number: Type.Integer(),
  by: Type.String({ description: 'the id of a token or a person, or `operator`' }),
  changes: DeploymentChanges,
})

/** An alert about a channel. */
export const AlertMessage = hookMessage(
  alertKinds.map((kind) => `channel.${kind}`),
  {
    alertId,
    teamId: Type.String(),
    ...alertFields,
    name: OptionalText('the name of the script'),
    providerId: Type.Optional(Type.String()),
  },
)

/** The message that the provider `eventSink` sends for an event. */
export const EventSinkMessage = Type.Object({
  action: Type.Enum(['tag', 'user']),
  payload: EventPayload,
  user: Type.Record(Type.String(), Type.Unknown()),
  query: Type.Record(Type.String(), Type.Unknown()),
  customData: Type.Record(Type.String(), Type.Unknown()),
})

/** The same for `EVENT_SINK_FORMAT` `array`. For `ndjson`, each line is a message. */
const EventSinkMessages = Type.Array(EventSinkMessage, { minItems: 1, maxItems: 500 })

const { teamId, tagId, scriptId } = exampleValues
const timestamp = '2026-11-20T10:00:00.000Z'
const at = Date.UTC(2026, 10, 20, 10)

const pendingExample = {
  type: 'deployment.pending',
  timestamp,
  data: {
    environment: 'production',
    teamId,
    tagId,
    number: 4,
    by: 'operator',
    changes: { settings: ['hold'], scripts: [] },
  },
}
const alertExample = {
  type: 'channel.paused',
  timestamp,
  data: {
    ...{ environment: 'production', alertId: 'alert_01kahr3m5we7tbs9d2q6n4xbyz', teamId, tagId, scriptId },
    ...{ reason: 'keyRejected', count: 5, since: at, at, name: 'Meta', providerId: 'facebook' },
  },
}
const sinkExample = {
  action: 'tag',
  payload: { eventName: 'Purchase', eventId: 'order-1001', timestamp: at },
  user: { userId: exampleValues.userId },
  query: { utm_source: 'newsletter' },
  customData: {},
}

/** The headers of Standard Webhooks. A library verifies them with the secret: `whsec_` and base64. */
const signature = (isRequired: boolean) =>
  [
    ['webhook-id', 'the same in every retry'],
    ['webhook-timestamp', 'seconds since 1970, of this attempt'],
    ['webhook-signature', 'v1, and the HMAC-SHA256 of id.timestamp.body in base64'],
  ].map(([name, description]) => ({
    name,
    in: 'header',
    required: isRequired,
    description,
    schema: { type: 'string' },
  }))

type Message = {
  id: string
  summary: string
  description: string
  schema: TSchema
  example: Json
  isSigned: boolean
  also?: Json
}

const toWebhook = ({ id, summary, description, schema, example, isSigned, also = {} }: Message): Json => ({
  post: {
    operationId: id,
    tags: ['hook'],
    summary,
    description,
    security: [],
    parameters: signature(isSigned),
    requestBody: { required: true, content: { ...json(schema, { example }), ...also } },
    responses: {
      '2XX': { description: 'Accepted' },
      '4XX': { description: 'Refused' },
      '5XX': { description: 'Not accepted; it is sent again' },
    },
  },
})

/** The messages that the server sends to customers' URLs. */
export const buildWebhooks = (): Json => ({
  deploymentPending: toWebhook({
    id: 'deploymentPending',
    summary: 'A deployment is about to go live',
    description:
      'Sent to each hook of the kind `deploy`. One that does not answer 2xx within 5 s stops the deployment.',
    schema: PendingDeploymentMessage,
    example: pendingExample,
    isSigned: true,
  }),
  channelAlert: toWebhook({
    id: 'channelAlert',
    summary: 'A channel paused, died or recovered',
    description: 'Sent to each hook of the kind `alert`, up to seven times until one is answered with 2xx.',
    schema: AlertMessage,
    example: alertExample,
    isSigned: true,
  }),
  eventSink: toWebhook({
    id: 'eventSink',
    summary: 'An event, or an update of a user, for a channel of `eventSink`',
    description:
      'Sent to `EVENT_SINK_URL`, with the headers of `EVENT_SINK_HEADERS`; signed if `EVENT_SINK_SECRET` is set. One message, ' +
      'or a list by `EVENT_SINK_FORMAT`: a list is taken with 2xx, except for the rows that the answer names in `failed`, ' +
      'such as `{"failed": [{"index": 3, "message": "unknown item", "retry": false}]}`.',
    schema: Type.Union([EventSinkMessage, EventSinkMessages]),
    also: contentOf(EventSinkMessage, {}, 'application/x-ndjson'),
    example: sinkExample,
    isSigned: false,
  }),
})
