import { badRequest } from '#contract/fault.ts'

/**
 * The sort key of a delivery in a list: deliveries are listed by event, newest first, and within an event by script. An
 * empty script is after all deliveries of its event.
 */
export type DeliveryPlace = { position: number; idx: number; script: string }

const placePattern = /^(\d{1,16})\.(\d{1,10})\.([\w-]{0,100})$/
const maxIndex = 2 ** 31 - 1

/** The place before the first row of a list. */
export const startPlace: DeliveryPlace = { position: Number.MAX_SAFE_INTEGER, idx: maxIndex, script: '' }

/** Encodes the end of a page as opaque text. */
export const encodePlace = ({ position, idx, script }: DeliveryPlace): string =>
  Buffer.from(`${position}.${idx}.${script}`).toString('base64url')

/** Throws badRequest unless `encodePlace` made the text. */
export function decodePlace(cursor: string): DeliveryPlace {
  const found = placePattern.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  const place = found && { position: Number(found[1]), idx: Number(found[2]), script: found[3]! }
  if (!place || place.idx > maxIndex || encodePlace(place) !== cursor)
    throw badRequest({ path: 'cursor', message: 'is not the `next` of a page' })
  return place
}
