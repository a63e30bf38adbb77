import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { statements } from '#kit/sqlite.ts'
import { type Filter, makeFilter } from './filter.ts'
import { type Key, keyBytes, type Pairs, placeIn, topOf, wordsOf } from './pairs.ts'
import { beginRun, type Prepared, pieceOf, piecesPerSlice, type Run, rowOf, type Writing } from './writing.ts'

const rowsOf = ({ run }: Pick<Run, 'run'>) => [rowOf(run, 0), rowOf(run + 1, 0)] as const

/** The runs in the database. */
export type Runs = {
  /** Those that are whole, the newest first. */
  whole(): Run[]
  /** The pairs of the buckets from `first` up to, not including, `end`. */
  read(run: Run, first: number, end: number): Pairs[]
  find(run: Run, key: Key): number | undefined
  filterOf(run: Run): Filter
  begin(about: Pick<Run, 'day' | 'level' | 'keys'>): Writing
  /** From now on it is to be cleared away. */
  retire(run: Run): void
  /** Clears away some rows of what is not whole, `spared` excepted. True while there may be more. */
  clear(rows: number, spared: Run | undefined): boolean
}

export function runsIn(db: DatabaseSync): Runs {
  const prepared = statements(db)
  return {
    whole: () =>
      prepared(
        'SELECT run, day, level, keys, bits FROM run WHERE whole = 1 ORDER BY day DESC, run DESC',
      ).all() as Run[],
    read({ run }, first, end) {
      const rows = prepared('SELECT pairs FROM bucket WHERE row >= ? AND row < ?').all(
        rowOf(run, first),
        rowOf(run, end),
      )
      return rows.map(({ pairs }) => wordsOf(pairs as Uint8Array))
    },
    find({ run, bits }, key) {
      // Most often the key is not there: seen where the row lies, that costs a third of handing the row out.
      const row = prepared('SELECT pairs FROM bucket WHERE row = ? AND instr(pairs, ?) > 0').get(
        rowOf(run, topOf(key.high, bits)),
        keyBytes(key),
      )
      return row && placeIn(wordsOf(row.pairs as Uint8Array), key)
    },
    filterOf: (run) => readFilter(run, prepared('SELECT row, seed, cells FROM filter WHERE row >= ? AND row < ?')),
    begin: (about) => beginRun(prepared, about),
    retire: ({ run }) => void prepared('UPDATE run SET whole = 0 WHERE run = ?').run(run),
    clear: (rows, spared) => clearSome(prepared, rows, spared),
  }
}

/** A slice of which a piece is missing denies nothing. */
function readFilter(run: Run, pieces: StatementSync): Filter {
  const filter = makeFilter(run.keys)
  const perSlice = piecesPerSlice(filter)
  const found = new Uint16Array(filter.seeds.length)
  for (const { row, seed, cells } of pieces.iterate(...rowsOf(run))) {
    const part = Number(row) - rowOf(run.run, 0)
    const slice = Math.floor(part / perSlice)
    pieceOf(filter, slice, part % perSlice).set(cells as Uint8Array)
    found[slice]!++
    if (found[slice] === perSlice) filter.seeds[slice] = Number(seed)
  }
  return filter
}

function clearSome(prepared: Prepared, rows: number, spared: Run | undefined): boolean {
  const found = prepared('SELECT run FROM run WHERE whole = 0 AND run IS NOT ? LIMIT 1').get(spared?.run ?? null)
  if (!found) return false
  const run = { run: Number(found.run) }
  const some = 'SELECT row FROM bucket WHERE row >= ? AND row < ? LIMIT ?'
  const cleared = prepared(`DELETE FROM bucket WHERE row IN (${some})`).run(...rowsOf(run), rows)
  if (Number(cleared.changes) > 0) return true
  prepared('DELETE FROM filter WHERE row >= ? AND row < ?').run(...rowsOf(run))
  prepared('DELETE FROM run WHERE run = ?').run(run.run)
  return true
}
