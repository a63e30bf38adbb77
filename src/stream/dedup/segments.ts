import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import { createFuseFilter, type FuseFilter } from './fuseFilter.ts'
import { type KeyHalves, type KeyPairs, keyBytes, placeIn, topOf, wordsOf } from './keyPairs.ts'
import { beginSegment, chunkOf, chunksPerSlice, type PrepareStatement, rowOf, type Segment } from './segmentWriter.ts'

/** The range of row ids of a segment, a sorted immutable part of the index. */
const rowsOf = (segmentId: number) => [rowOf(segmentId, 0), rowOf(segmentId + 1, 0)] as const

/** The segments in the database (table `run`). */
export type Segments = ReturnType<typeof openSegments>

export function openSegments(db: DatabaseSync) {
  const prepared = preparedStatements(db)
  return {
    /** The complete segments, the newest first. */
    complete: () =>
      prepared(
        'SELECT run AS id, day, level, keys, bits FROM run WHERE whole = 1 ORDER BY day DESC, run DESC',
      ).all() as Segment[],
    /** The pairs of the buckets from `first` up to but not including `end`. */
    read({ id }: Segment, first: number, end: number): KeyPairs[] {
      const rows = prepared('SELECT pairs FROM bucket WHERE row >= ? AND row < ?').all(rowOf(id, first), rowOf(id, end))
      return rows.map(({ pairs }) => wordsOf(pairs as Uint8Array))
    },
    find({ id, bits }: Segment, key: KeyHalves): number | undefined {
      // After a false positive of the filter, the key is absent. Testing with instr costs a third of returning the row.
      const row = prepared('SELECT pairs FROM bucket WHERE row = ? AND instr(pairs, ?) > 0').get(
        rowOf(id, topOf(key.high, bits)),
        keyBytes(key),
      )
      return row && placeIn(wordsOf(row.pairs as Uint8Array), key)
    },
    filterOf: (segment: Segment) =>
      readFilter(segment, prepared('SELECT row, seed, cells FROM filter WHERE row >= ? AND row < ?')),
    begin: (properties: Pick<Segment, 'day' | 'level' | 'keys'>) => beginSegment(prepared, properties),
    /** Marks a segment for deletion. */
    retire: ({ id }: Segment) => void prepared('UPDATE run SET whole = 0 WHERE run = ?').run(id),
    /** Deletes some rows of segments that are not complete, except for `excluded`. True while there may be more. */
    clear: (rows: number, excluded: Segment | undefined) => deleteRows(prepared, rows, excluded),
  }
}

/** Reads a filter. A slice with a missing chunk matches every key. */
function readFilter({ id, keys }: Segment, chunks: StatementSync): FuseFilter {
  const filter = createFuseFilter(keys)
  const perSlice = chunksPerSlice(filter)
  const chunksRead = new Uint16Array(filter.seeds.length)
  for (const { row, seed, cells } of chunks.iterate(...rowsOf(id))) {
    const part = Number(row) - rowOf(id, 0)
    const slice = Math.floor(part / perSlice)
    chunkOf(filter, slice, part % perSlice).set(cells as Uint8Array)
    chunksRead[slice]!++
    if (chunksRead[slice] === perSlice) filter.seeds[slice] = Number(seed)
  }
  return filter
}

function deleteRows(prepared: PrepareStatement, rows: number, excluded: Segment | undefined): boolean {
  const row = prepared('SELECT run FROM run WHERE whole = 0 AND run IS NOT ? LIMIT 1').get(excluded?.id ?? null)
  if (!row) return false
  const id = Number(row.run)
  const some = 'SELECT row FROM bucket WHERE row >= ? AND row < ? LIMIT ?'
  const deleted = prepared(`DELETE FROM bucket WHERE row IN (${some})`).run(...rowsOf(id), rows)
  if (Number(deleted.changes) > 0) return true
  prepared('DELETE FROM filter WHERE row >= ? AND row < ?').run(...rowsOf(id))
  prepared('DELETE FROM run WHERE run = ?').run(id)
  return true
}
