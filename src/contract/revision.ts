import { EpochMs, type Static, Type } from './schema.ts'

/**
 * The revision of a saved tag or script. A write with `If-Match: "<version>"` is refused if another was saved since.
 */
export const revisionFields = {
  version: Type.Integer({ minimum: 1, description: 'grows by one with each save' }),
  updatedAt: EpochMs({ description: 'when it was last saved, epoch ms' }),
  updatedBy: Type.Optional(
    Type.String({ description: 'who saved it last: the id of a token or person, or `operator`' }),
  ),
}

export const ValueChange = Type.Object({
  name: Type.String({ description: 'a setting, or `secrets.` and a variable' }),
  before: Type.Optional(Type.Unknown({ description: 'absent where it was not set' })),
  after: Type.Optional(Type.Unknown({ description: 'absent where it is not set' })),
  isHidden: Type.Optional(
    Type.Boolean({
      description: 'true for a sensitive variable: `before` and `after` are the numbers of its versions',
    }),
  ),
})
/** One value that differs between two states of a tag. */
export type ValueChange = Static<typeof ValueChange>

/** What a saved tag or script has other than the live one. Absent where nothing differs. */
export const NotLive = Type.Optional(
  Type.Array(ValueChange, { description: 'the saved values that are not live: `before` is live, `after` is saved' }),
)

const Revision = Type.Object(revisionFields)
export type Revision = Static<typeof Revision>

/** The header `If-Match` of a write: a version in quotes, or `*`. */
const ifMatchPattern = /^(?:W\/)?"?(\d{1,15})"?$/

/** The version of a header `If-Match`; undefined for none and for `*`; null for anything else. */
export function parseIfMatch(header: string | undefined): number | undefined | null {
  if (header === undefined || header.trim() === '*') return undefined
  const version = ifMatchPattern.exec(header.trim())?.[1]
  return version === undefined ? null : Number(version)
}
