import { badRequest } from '#contract/fault.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { DeliveryPlace, Dialect, EventKey, PlaceRange, ScriptKey } from './dialect.ts'
import { positionSpans } from './positionSpan.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'

const placePattern = /^(\d{1,16})\.(\d{1,10})\.([\w-]{0,100})$/
const maxIndex = 2 ** 31 - 1

export const keyOf = ({ position, idx }: SqlRow): EventKey => ({ position: Number(position), idx: Number(idx) })
export const placeOf = (row: SqlRow): DeliveryPlace => ({ ...keyOf(row), script: row.script as ScriptKey })

export const isSameEvent = (one: EventKey, other: EventKey | undefined): boolean =>
  one.position === other?.position && one.idx === other.idx

/** True if `one` is listed after `other`. */
export const isAfter = (one: DeliveryPlace, other: DeliveryPlace): boolean =>
  isSameEvent(one, other)
    ? one.script < other.script
    : one.position < other.position || (one.position === other.position && one.idx < other.idx)

/** Encodes the end of a page as opaque text. */
export const encodePlace = ({ position, idx, script }: DeliveryPlace): string =>
  Buffer.from(`${position}.${idx}.${script}`).toString('base64url')

/** Throws badRequest if the text is not from `encodePlace`. */
export function decodePlace(cursor: string, scriptOf: (text: string) => ScriptKey): DeliveryPlace {
  const found = placePattern.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const place = found && { position: Number(found[1]), idx: Number(found[2]), script: scriptOf(found[3]!) }
  if (!place || place.idx > maxIndex || encodePlace(place) !== cursor)
    throw badRequest({ path: 'cursor', message: 'is not the `next` of a page' })
  return place
}

/** The rows that a page of a tag may have: after its cursor and within the time range of the filter. */
export function scanRange(dialect: Dialect) {
  const { noScript, scriptOf } = dialect.delivery
  const { findSpan } = positionSpans(dialect)
  const start = { position: Number.MAX_SAFE_INTEGER, idx: maxIndex, script: noScript }
  return function* (
    tagId: string,
    filter: Pick<DeliveryFilter, 'fromMs' | 'toMs'>,
    cursor: string | undefined,
  ): Read<PlaceRange> {
    const after = cursor === undefined ? start : decodePlace(cursor, scriptOf)
    const { from, to } = yield* findSpan(tagId, filter)
    return { tagId, from, after: after.position > to ? { position: to + 1, idx: 0, script: noScript } : after }
  }
}
