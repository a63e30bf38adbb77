import type { DatabaseSync } from 'node:sqlite'
import type { Spare } from '#stream/stream.ts'

/** Bodies looked at in one go, and dropped in one commit: appends wait no longer than that takes. */
const atOnce = 200

const next = `SELECT position, appended_at FROM body
  WHERE position > ? AND position <= (SELECT position FROM cursor) ORDER BY position LIMIT ?`

/** Goes through the settled bodies that are old enough, and drops those that are not spared, until `drop` says that it is over. */
export async function trimming(
  db: DatabaseSync,
  beforeMs: number,
  { needed }: Spare,
  drop: (positions: readonly number[]) => Promise<boolean>,
): Promise<void> {
  const read = db.prepare(next)
  for (let seen = 0; ; ) {
    const rows = read.all(seen, atOnce) as { position: number; appended_at: number }[]
    const old = rows.filter((row) => row.appended_at < beforeMs).map(({ position }) => position)
    const [first, last] = [old[0], old.at(-1)]
    if (first === undefined || last === undefined) return
    const spared = new Set(await needed(first, last))
    if (!(await drop(old.filter((position) => !spared.has(position)))) || rows.length < atOnce) return
    seen = last
  }
}
