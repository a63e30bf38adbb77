import { openReader } from '#kit/sqlite.ts'
import { runThread } from '#kit/thread.ts'
import { lowerThreadPriority } from '#kit/threadPriority.ts'
import { createQueryAnswerer, type QueryAnswer, type QueryAsk } from './queries.ts'
import { createSqlReader } from './sqlReader.ts'

runThread<{ path: string }, QueryAsk, QueryAnswer>(({ path }) => {
  lowerThreadPriority() // ingest and delivery have precedence
  const db = openReader(path)
  return { answer: createQueryAnswerer(createSqlReader(db)), close: () => db.close() }
})
