import type { StreamEntry } from '#stream/stream.ts'

/** An entry with its slot. `addedAt`: when the append was requested, in ms of the monotonic clock. */
export type SlottedEntry = StreamEntry & { slot: number; addedAt: number }

/** An event that may be new. `other` is 0n if it has no further key. Keys are signed, as PostgreSQL stores them. */
export type CandidateEvent = { key: bigint; record: number; index: number; other: bigint }

const signed = (key: bigint) => BigInt.asIntN(64, key)

/**
 * The events whose keys are stored if they are new. An event without a key is never new. Nor is an event whose further
 * key is the key of an earlier event of the same group, which is stored first.
 */
export function candidatesOf(entries: readonly StreamEntry[]): CandidateEvent[] {
  const hasOthers = entries.some(({ others }) => others)
  const earlier = new Set<bigint>()
  const candidates: CandidateEvent[] = []
  for (const [record, { keys, others }] of entries.entries())
    for (const [index, key] of keys.entries()) {
      const other = others?.[index] ?? 0n
      if (key === 0n || (other !== 0n && earlier.has(other))) continue
      candidates.push({ key: signed(key), record, index, other: signed(other) })
      if (hasOthers) earlier.add(key)
    }
  return candidates
}
