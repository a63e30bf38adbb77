import type { Operation } from './operation.ts'
import { type Static, Type } from './schema.ts'
import { ValueMode } from './script.ts'
import { History, TagPlugin } from './tag.ts'

const Texts = Type.Record(Type.String(), Type.String())

/** A line of `aglet preview`: an event on its way to one provider. */
export const PreviewLine = Type.Object({
  provider: Type.String({ description: 'its id' }),
  secrets: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'plaintexts by variable' })),
  event: Type.Object({
    eventName: Type.String({ minLength: 1 }),
    eventId: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.Number()),
    data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
  }),
  user: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'standard keys, `userId`, `ip` and `userAgent`',
    }),
  ),
  captured: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'click ids and cookies by their own names' }),
  ),
  channel: Type.Optional(Type.Object({ purchaseValueMode: Type.Optional(Type.Union([ValueMode, Type.Null()])) })),
  now: Type.Optional(Type.Number({ description: 'the clock, epoch time in milliseconds' })),
  plugins: Type.Optional(Type.Array(TagPlugin, { description: 'the plugins of the tag, in their order' })),
  history: Type.Optional(History),
  replies: Type.Optional(
    Type.Array(
      Type.Object({ status: Type.Integer({ minimum: 100, maximum: 599 }), json: Type.Optional(Type.Unknown()) }),
      { description: 'the responses to the token request and to each step, in order' },
    ),
  ),
})
export type PreviewLine = Static<typeof PreviewLine>

/** What would be sent, or why nothing would; `error` is a stable code where the line cannot be shown. */
export const Preview = Type.Object({
  requests: Type.Array(
    Type.Object({ method: Type.String(), url: Type.String(), headers: Texts, body: Type.Optional(Type.String()) }),
  ),
  skipped: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
})
export type Preview = Static<typeof Preview>

export const previewRows = {
  preview: {
    method: 'POST',
    path: '/preview',
    summary: 'What a provider would be sent for an event, as it would go over the wire; sends nothing',
    access: ['script:read'],
    teamHeader: true,
    body: PreviewLine,
    gives: Preview,
    faults: [],
  },
} as const satisfies Record<string, Operation>
