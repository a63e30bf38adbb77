import { migrate } from './migrate.ts'
import { keepTemporaryDataInMemory, openDatabase } from './sqlite.ts'
import { runThread } from './thread.ts'
import { type UnitResult, unitWriter, type WriteBatch } from './writeBatch.ts'

runThread<{ path: string; migrations: string }, WriteBatch, UnitResult[]>(({ path, migrations }) => {
  const db = openDatabase(path)
  migrate(db, new URL(migrations))
  keepTemporaryDataInMemory(db)
  return { answer: unitWriter(db), close: () => db.close() }
})
