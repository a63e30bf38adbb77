import type { TagEvent } from './event.ts'
import type { Operation } from './operation.ts'
import type { ChannelRules } from './rule/channelRules.ts'
import { FalseRule, ruleFields } from './rule/ruleFields.ts'
import { epochMsForm, type Issue, Nullable, OptionalTime, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'
import { SecretEntry, ValueMode } from './script.ts'
import { History, TagPlugin } from './tag.ts'

const Texts = Type.Record(Type.String(), Type.String())

/** A line of `aglet preview`: an event for one provider. */
export const PreviewLine = Type.Object({
  provider: Type.String({ description: 'the provider id' }),
  secrets: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'plain values by variable' })),
  event: Type.Object({
    eventName: Type.String({ minLength: 1 }),
    eventId: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.Number({ documented: epochMsForm })),
    data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
  }),
  user: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description:
        'standard keys (`customerId`: the id of the customer in the shop’s own system), `userId` (Aglet’s visitor), `ip` and `userAgent`',
    }),
  ),
  captured: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'click ids and cookies by their own names' }),
  ),
  channel: Type.Optional(Type.Object({ purchaseValueMode: Type.Optional(Type.Union([ValueMode, Type.Null()])) })),
  defaultCountry: Type.Optional(
    Type.String({ pattern: patterns.country, description: 'the default country of the tag, as in PUT /tag/{tagId}' }),
  ),
  now: OptionalTime('the current time, epoch ms'),
  plugins: Type.Optional(Type.Array(TagPlugin, { description: 'the plugins of the tag, in their order' })),
  rules: Type.Optional(Type.Object(ruleFields, { description: 'the rules of the channel, as a script has them' })),
  history: Type.Optional(History),
  replies: Type.Optional(
    Type.Array(
      Type.Object({ status: Type.Integer({ minimum: 100, maximum: 599 }), json: Type.Optional(Type.Unknown()) }),
      { description: 'the responses to the token request and to each step, in order' },
    ),
  ),
})
export type PreviewLine = Static<typeof PreviewLine>

/** The body of a preview: a line, with the secrets of a saved script or sealed entries instead of plain values. */
export const PreviewRequest = Type.Object({
  ...PreviewLine.properties,
  scriptId: Nullable(
    Type.String({ maxLength: 100, description: 'a script of the team, whose secrets are used; needs script:write' }),
  ),
  sealed: Nullable(Type.Array(SecretEntry, { maxItems: 100, description: 'sealed entries, as a script takes them' })),
})
export type PreviewRequest = Static<typeof PreviewRequest>

/** The requests that would be sent, or the reason why there are none. `error`: a stable code for an invalid line. */
export const Preview = Type.Object({
  requests: Type.Array(
    Type.Object({ method: Type.String(), url: Type.String(), headers: Texts, body: Type.Optional(Type.String()) }),
  ),
  skipped: Type.Optional(Type.String()),
  filtered: Type.Optional(FalseRule),
  afterRules: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'the event as the rules change it, if they do' }),
  ),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})
export type Preview = Static<typeof Preview>

/** Applies the rules of a line to its event. `refusedBy`: the number of the map rule that exceeded a limit. */
export type ApplyRules = (
  rules: ChannelRules,
  event: TagEvent,
  user: Readonly<Record<string, string | number>>,
) =>
  | { event: TagEvent; user: Readonly<Record<string, string | number>> }
  | { issue: Issue }
  | { filtered: FalseRule }
  | { refusedBy: number }

export const previewOperations = {
  preview: {
    method: 'POST',
    path: '/preview',
    summary: 'The HTTP requests that a provider would get for an event; sends nothing',
    access: ['script:read'],
    body: PreviewRequest,
    response: Preview,
    faults: ['scriptOrTagNotFound', 'secretRefused'],
  },
} as const satisfies Record<string, Operation>
