import { createHash } from 'node:crypto'

/** The number of slots. Each slot has one owner. It is part of the stored data. */
export const slotCount = 256

export const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot)

const maxKnownTags = 10_000
const knownSlots = new Map<string, number>()

const hashOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0)

/** The slot of a tag: 0 to 255. It has all events of a tag that is not spread. */
export function slotOf(tagId: string): number {
  let slot = knownSlots.get(tagId)
  if (slot !== undefined) return slot
  slot = hashOf(tagId) % slotCount
  if (knownSlots.size >= maxKnownTags) knownSlots.clear()
  knownSlots.set(tagId, slot)
  return slot
}

/** The slots of a spread tag lie far apart, because a worker takes slots with numbers next to each other. */
const slotOfPart = (tagId: string, part: number, spread: number): number =>
  (slotOf(tagId) + part * Math.floor(slotCount / spread)) % slotCount

/** The slots of a tag that is spread over this many, its own first. */
export const slotsOf = (tagId: string, spread: number): number[] =>
  Array.from({ length: spread }, (_, part) => slotOfPart(tagId, part, spread))

/** The slot of the events of a user of a tag. An event without a user has a generated one. */
export const slotOfUser = (tagId: string, userId: string, spread: number): number =>
  slotOfPart(tagId, spread === 1 ? 0 : hashOf(userId) % spread, spread)

/** The number of slots that the new events of a tag are spread over, by tag id. A missing tag is not spread. */
export type TagSpread = ReadonlyMap<string, number>

export const noSpread: TagSpread = new Map()
