import type { DatabaseSync } from 'node:sqlite'
import type { FuseFilter } from './fuseFilter.ts'
import { type KeyPairs, wordsPerPair } from './keyPairs.ts'
import { beginMerge, type SegmentMerge, selectMergeable } from './mergeSegments.ts'
import { openSegments } from './segments.ts'
import type { Segment } from './segmentWriter.ts'

/** A key is valid on its day and the seven days after. */
const validDays = 7
/**
 * The number of keys that are merged for each added key. Each key is merged a few times in total, so merges keep up
 * with appends.
 */
const mergedPerAdded = 16
/** The rows that are deleted in one transaction. Bounds the time that appends wait. */
const rowsPerDeletion = 1000

/**
 * The filters of complete segments, by segment id. They stay valid after a rollback, because segments are immutable.
 */
export type SegmentFilters = Map<number, FuseFilter>

/** The segments that are valid on one day. Must be opened again after a rollback. */
export type DedupIndex = {
  /** The segments that lookups search, the newest first. */
  searched(): readonly SearchedSegment[]
  /** Stores these pairs as a segment of that day. */
  addSegment(day: number, pairs: KeyPairs): void
  /** Merges a number of keys that is proportional to the number of added keys. */
  merge(added: number): void
  /** Deletes some rows of expired or merged segments. True while there may be more. */
  drop(): boolean
}

export type SearchedSegment = { segment: Segment; filter: FuseFilter }
const newestFirst = (one: Segment, other: Segment) => other.day - one.day || other.id - one.id

/** Segments of later days are valid too, because the clock may have been set back. */
export function openDedupIndex(db: DatabaseSync, day: number, filters: SegmentFilters): DedupIndex {
  const segments = openSegments(db)
  const complete = segments.complete()
  // Segments of a rolled back transaction do not exist any more.
  for (const id of filters.keys()) if (!complete.some((each) => each.id === id)) filters.delete(id)
  const isValid = (segment: Segment) => segment.day >= day - validDays
  let expired = complete.filter((segment) => !isValid(segment))
  let searched: SearchedSegment[] = []
  let merge: SegmentMerge | undefined
  let mayMerge = true
  let due = 0

  const add = (segment: Segment, filter: FuseFilter) => {
    filters.set(segment.id, filter)
    mayMerge = true
    if (!isValid(segment)) expired.push(segment)
    else searched = [...searched, { segment, filter }].sort((one, other) => newestFirst(one.segment, other.segment))
  }
  const retire = (segment: Segment) => {
    segments.retire(segment)
    filters.delete(segment.id)
    searched = searched.filter((each) => each.segment !== segment)
  }
  const begin = () => {
    const all = searched.map(({ segment }) => segment)
    const sources = mayMerge ? selectMergeable(all, day) : undefined
    mayMerge = sources !== undefined
    return sources && beginMerge(segments, sources)
  }
  const end = ({ sources, into, end }: SegmentMerge) => {
    for (const segment of sources) retire(segment)
    add(into, end())
    merge = undefined
  }
  for (const segment of complete.filter(isValid)) add(segment, filters.get(segment.id) ?? segments.filterOf(segment))
  return {
    searched: () => searched,
    addSegment(day, pairs) {
      const writer = segments.begin({ day, level: 0, keys: pairs.length / wordsPerPair })
      writer.put(pairs, 2 ** writer.segment.bits)
      add(writer.segment, writer.end())
    },
    merge(added) {
      for (due += added * mergedPerAdded; due > 0; ) {
        merge ??= begin()
        if (!merge) due = 0
        else due -= merge.step()
        if (merge?.isDone()) end(merge)
      }
    },
    drop() {
      for (const segment of expired) retire(segment)
      expired = []
      return segments.clear(rowsPerDeletion, merge?.into)
    },
  }
}
