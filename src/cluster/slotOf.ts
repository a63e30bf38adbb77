import { createHash } from 'node:crypto'

/** The number of slots. Each tag lies in one, and each slot has one owner. It is part of the stored data. */
export const slotCount = 256

/** The slot of a tag: 0 to 255. */
export const slotOf = (tagId: string): number => createHash('sha256').update(tagId).digest().readUInt32BE(0) % slotCount
