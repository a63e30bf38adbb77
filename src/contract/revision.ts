import { EpochMs, OptionalFlag, OptionalText, type Static, Type } from './schema.ts'

/**
 * The revision of a saved tag or script. A write with `If-Match: "<version>"` is rejected if another revision was saved
 * since.
 */
export const revisionFields = {
  version: Type.Integer({ minimum: 1, description: 'grows by one with each save' }),
  updatedAt: EpochMs({ description: 'when it was last saved, epoch ms' }),
  updatedBy: OptionalText('who saved it last: the id of a token or person, or `operator`'),
}

export const ValueChange = Type.Object({
  name: Type.String({ description: 'a setting, or `secrets.` and a variable' }),
  before: Type.Optional(Type.Unknown({ description: 'absent if it was not set' })),
  after: Type.Optional(Type.Unknown({ description: 'absent if it is not set' })),
  isHidden: OptionalFlag('true for a sensitive variable: `before` and `after` are the numbers of its versions'),
})
/** One value that differs between two states of a tag. */
export type ValueChange = Static<typeof ValueChange>

/** The differences between a saved tag or script and the live one. Absent if there are none. */
export const NotLive = Type.Optional(
  Type.Array(ValueChange, { description: 'the saved values that are not live: `before` is live, `after` is saved' }),
)

const Revision = Type.Object(revisionFields)
export type Revision = Static<typeof Revision>

/** The version in the `If-Match` header of a write, with or without quotes and `W/`. */
const ifMatchPattern = /^(?:W\/)?"?(\d{1,15})"?$/

/** The version in an `If-Match` header. Undefined if there is none, and for `*`; null for any other value. */
export function parseIfMatch(header: string | undefined): number | undefined | null {
  if (header === undefined || header.trim() === '*') return undefined
  const version = ifMatchPattern.exec(header.trim())?.[1]
  return version === undefined ? null : Number(version)
}
