import { openReader } from '#kit/sqlite.ts'
import type { Database } from '#postgres/database.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import { moveSqliteStore, readEventDays } from '#store/postgres/moveSqliteStore.ts'
import { moveSqliteStream, readDayStarts } from './moveSqliteStream.ts'

/** The rows that are moved in one transaction. */
const rowsPerMove = 1_000

/** Moves the files of an environment into an empty database. */
export async function moveFiles(
  database: Database,
  files: { store: string; stream?: string },
  source: string,
): Promise<Record<string, number>> {
  const run = { source, portion: rowsPerMove }
  using opened = new DisposableStack()
  const open = (path: string) => opened.adopt(openReader(path), (db) => db.close())
  const store = open(files.store)
  const stream = files.stream === undefined ? undefined : open(files.stream)
  const positions = datePositions([...readEventDays(store), ...(stream ? readDayStarts(stream) : [])])
  const counts = await moveSqliteStore(store, database, { ...run, toPosition: positions.toPosition })
  return stream ? { ...counts, ...(await moveSqliteStream(stream, database, { ...run, positions })) } : counts
}
