import { ConsentCheck, textWarningCodes } from './consentCheck.ts'
import { ConsentProof } from './consentProof.ts'
import { DeliveryFacts } from './deliveryFacts.ts'
import { CountsByStatus, deliveryFilters, FilterId, personFilters, receivedRange } from './deliveryFilters.ts'
import { reasons, statuses } from './deliveryStatus.ts'
import { Place } from './eventPlace.ts'
import { longPageQuery, type Operation } from './operation.ts'
import { EpochMs, OptionalFlag, OptionalInteger, OptionalText, OptionalTime, type Static, Type } from './schema.ts'
import { standardKeys } from './standardKeys.ts'
import { RunOfEvent } from './webhookRun.ts'

export { Place }

const Headers = Type.Record(Type.String(), Type.String())

/** A request and its response, with secrets and personal data redacted. */
export const Exchange = Type.Object({
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    headers: Headers,
    body: OptionalText('its first 64 KiB; less if the event has more than 16 attempts'),
  }),
  response: Type.Optional(
    Type.Object({
      status: Type.Integer(),
      headers: Headers,
      body: OptionalText('its first 64 KiB; less if the event has more than 16 attempts'),
    }),
  ),
})
export type Exchange = Static<typeof Exchange>

/** A user whom the event identifies by customer id or e-mail. */
const joined = { by: Type.Enum(['email', 'customerId']), userId: Type.String() }

export const Attempt = Type.Object({
  at: EpochMs({ description: 'when it started, epoch ms' }),
  status: OptionalInteger('the HTTP status of the response; absent without a response'),
  durationMs: Type.Number(),
  message: OptionalText('the error, secrets redacted'),
  joined: Type.Optional(
    Type.Object(joined, {
      description:
        'the click ids and cookies that were sent are those of this user, whose profile has the e-mail of the event',
    }),
  ),
  exchanges: Type.Optional(Type.Array(Exchange, { description: 'each request with its response' })),
  noExchanges: Type.Optional(
    Type.Enum(['notStored', 'deleted'], {
      description:
        'why there are no exchanges. `notStored`: the operator does not store them for such attempts, or only for some. `deleted`: by retention or an erasure',
    }),
  ),
})

export const Delivery = Type.Object({
  deliveryId: Type.String(),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: Type.Enum([...statuses]),
  reason: Type.Optional(Type.Enum([...reasons])),
  why: Type.Optional(DeliveryFacts),
  afterRules: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'the event as the rules of the channel change it; absent if they leave it as it is',
    }),
  ),
  consentCheck: Type.Optional(
    Type.Object(ConsentCheck.properties, {
      description: 'which rule of the consent allowed or refused the channel, by the settings of the tag at that time',
    }),
  ),
  nextAt: OptionalTime('when the next attempt is due, epoch ms'),
  replayId: OptionalText('the last replay of this delivery'),
  attempts: Type.Array(Attempt, {
    description: 'the last ones, in order: at most 20, and fewer if the event has many deliveries',
  }),
  earlierAttempts: Type.Optional(
    Type.Object(
      { count: Type.Integer(), cursor: Type.String() },
      { description: 'the attempts before these: how many, and the `cursor` that reads them' },
    ),
  ),
})
export type Delivery = Static<typeof Delivery>

/** The consent that was applied, its source and its time. */
export const ConsentTrace = Type.Object({
  source: Type.Enum(['event', 'stored', 'none', 'disabled']),
  state: Type.Optional(
    Type.Enum(['agreed', 'refused', 'unanswered'], {
      description:
        '`agreed`: to at least one channel or category; `unanswered`: there is no answer of the visitor, so that the event is held where the tag holds; absent if the tag needs no consent',
    }),
  ),
  at: Type.Optional(EpochMs()),
  decided: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'the applied maps; `others`: the first one of other users with the same e-mail',
    }),
  ),
  joinedBy: Type.Optional(
    Type.Literal('email', { description: 'the consent of other users with the same e-mail was applied as well' }),
  ),
})
export type ConsentTrace = Static<typeof ConsentTrace>

const callers = ['trusted', 'untrusted'] as const
const Caller = Type.Optional(
  Type.Enum([...callers], {
    description: '`trusted`: its call carried an access token; absent once the event is deleted by retention',
  }),
)

/** The event after one plugin of the deployment, in order. */
const PluginStep = Type.Object({
  plugin: Type.String(),
  event: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'absent if the plugin left the event as it was' }),
  ),
  filtered: Type.Optional(Type.Literal(true, { description: 'the plugin filtered the event: no channel gets it' })),
  added: Type.Optional(Type.Array(Type.String(), { description: 'the names of the events that the plugin added' })),
})

/** A key of the person that vendors do not receive. Contains no value. */
export const UnusedKey = Type.Object({
  key: Type.Enum([...standardKeys]),
  reason: Type.Enum(['missing', 'countryUnknown', 'invalid'], {
    description:
      '`missing`: a text such as `null` or `unknown`, or the hash of one; `countryUnknown`: a phone number without country code, of a person whose country is not known; `invalid`: no valid value',
  }),
})
export type UnusedKey = Static<typeof UnusedKey>

/** The journey of one event. */
export const Journey = Type.Object({
  eventId: Type.String(),
  eventName: Type.String(),
  userId: Type.String(),
  receivedAt: EpochMs(),
  caller: Caller,
  isErased: Type.Optional(
    Type.Literal(true, {
      description: 'its user and its content were erased: it cannot be sent again',
    }),
  ),
  sameId: OptionalFlag('a caller of the other kind sent an event with the same eventId: `?caller=` selects it'),
  joined: Type.Optional(
    Type.Object(joined, {
      description:
        'the event is attributed to this user: a trusted call set its customer id or its e-mail for this user',
    }),
  ),
  consent: Type.Optional(ConsentTrace),
  consentProof: Type.Optional(
    Type.Object(ConsentProof.properties, {
      description:
        'the proof of the answer in `consent`: from the event, with its whole strings, or from the visitor; absent if there is no answer, if the answer was replaced since, and without user:read',
    }),
  ),
  consentWarnings: Type.Optional(
    Type.Array(Type.Enum([...textWarningCodes]), {
      description:
        'which consent strings of the event and its call were not applied as given, by the settings of the tag at that time: a string out of time counts as none, an unreadable one as a refusal',
    }),
  ),
  place: Type.Optional(Place),
  trusted: OptionalFlag('its call carried an access token'),
  received: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'the event as it was received; absent once it is deleted by retention',
    }),
  ),
  afterPlugins: Type.Optional(
    Type.Array(PluginStep, {
      description:
        'the event after each plugin, computed again with the settings of the deployment and the current history of the visitor',
    }),
  ),
  redacted: Type.Optional(
    Type.Literal(true, {
      description:
        '`received`, `afterPlugins` and `warnings` are absent, and texts are masked: the caller lacks user:read',
    }),
  ),
  deployment: OptionalInteger('the number of the deployment that was live when the event was received'),
  run: Type.Optional(
    Type.Object(RunOfEvent.properties, {
      description: 'the run of a webhook that made the event; GET /script/{scriptId}/run shows it',
    }),
  ),
  repeats: OptionalInteger('how often the same event came again, and was answered as a duplicate'),
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'as in the answer to the call' })),
  unusedKeys: Type.Optional(
    Type.Array(UnusedKey, {
      description: 'the keys of the person that no vendor gets, from the event and the current profile of the visitor',
    }),
  ),
  deliveries: Type.Array(Delivery),
})
export type Journey = Static<typeof Journey>

export const EventRow = Type.Object({
  eventId: Type.String(),
  eventName: Type.String(),
  userId: Type.String(),
  receivedAt: EpochMs(),
  caller: Caller,
  counts: Type.Optional(
    Type.Object(CountsByStatus.properties, { description: 'the number of its deliveries by their current status' }),
  ),
})
export type EventRow = Static<typeof EventRow>
export const EventList = Type.Object({ events: Type.Array(EventRow), next: Type.Optional(Type.String()) })

/** The query of a list of events, without its page. */
const eventQuery = {
  ...deliveryFilters,
  userId: Type.Optional(FilterId),
  ...personFilters,
  ...receivedRange,
}

export const journeyOperations = {
  listEvents: {
    method: 'GET',
    path: '/tag/{tagId}/event',
    summary:
      'Lists the events of a tag, newest first, with their deliveries counted by status; an event appears once its deliveries are planned',
    access: ['event:read'],
    query: Type.Object({ ...eventQuery, ...longPageQuery.properties }),
    response: EventList,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readEvent: {
    method: 'GET',
    path: '/tag/{tagId}/event/{eventId}',
    summary: 'The journey of an event: what was received, what plugins changed, and each delivery with its reason',
    access: ['event:read'],
    query: Type.Object({
      caller: Type.Optional(
        Type.Enum([...callers], {
          description: 'the kind of caller, where a trusted and an untrusted caller used the same eventId (trusted)',
        }),
      ),
      cursor: OptionalText('from `earlierAttempts`: returns only this delivery, with its earlier attempts'),
    }),
    response: Journey,
    faults: ['tagUnknown', 'eventUnknown'],
  },
} as const satisfies Record<string, Operation>
