import type { DatabaseSync } from 'node:sqlite'
import type { TrimGuard } from '#stream/stream.ts'

/** Bodies that are read and deleted at once, which bounds the wait of appends. */
const batchSize = 200

const next = `SELECT position, appended_at FROM body
  WHERE position > ? AND position <= (SELECT position FROM cursor) ORDER BY position LIMIT ?`

/** Deletes the settled bodies from before `beforeMs` that are not needed. Stops early when `drop` resolves to false. */
export async function trimStream(
  db: DatabaseSync,
  beforeMs: number,
  { needed }: TrimGuard,
  drop: (positions: readonly number[]) => Promise<boolean>,
): Promise<void> {
  const read = db.prepare(next)
  for (let seen = 0; ; ) {
    const rows = read.all(seen, batchSize) as { position: number; appended_at: number }[]
    const old = rows.filter((row) => row.appended_at < beforeMs).map(({ position }) => position)
    const [first, last] = [old[0], old.at(-1)]
    if (first === undefined || last === undefined) return
    const spared = new Set(await needed(first, last))
    if (!(await drop(old.filter((position) => !spared.has(position)))) || rows.length < batchSize) return
    seen = last
  }
}
