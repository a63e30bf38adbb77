import { migrate } from './migrate.ts'
import { keepTemporaryDataInMemory, openDatabase } from './sqlite.ts'
import { runThread } from './thread.ts'
import { unitWriter, type WriteBatch, type WriteFailure } from './writeBatch.ts'

runThread<{ path: string; migrations: string }, WriteBatch, (WriteFailure | undefined)[]>(({ path, migrations }) => {
  const db = openDatabase(path)
  migrate(db, new URL(migrations))
  keepTemporaryDataInMemory(db)
  return { answer: unitWriter(db), close: () => db.close() }
})
