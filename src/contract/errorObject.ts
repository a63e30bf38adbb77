import { EventResult } from './event.ts'
import { OptionalText, type Static, Type } from './schema.ts'

/** A deploy hook that rejected the deployment: its message and its URL. */
export const HookError = Type.Object({ message: Type.String(), url: Type.String() })
export type HookError = Static<typeof HookError>

/** The Error object of the interface. */
export const ErrorObject = Type.Object({
  message: Type.String(),
  statusCode: Type.Integer(),
  error: OptionalText('a stable code'),
  attributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: '`issues [{path, message}]` for a 400 about content, with `line` and `column` for one within code',
    }),
  ),
  hookErrors: Type.Optional(Type.Array(HookError)),
  result: Type.Optional(Type.Array(EventResult, { description: 'for a batch in which every event is refused' })),
})
export type ErrorObject = Static<typeof ErrorObject>
