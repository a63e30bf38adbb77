import { migrate } from './migrate.ts'
import { openDatabase, withoutTemporaryFiles } from './sqlite.ts'
import { runThread } from './thread.ts'
import { type Failed, type Packed, writingUnits } from './units.ts'

runThread<{ path: string; migrations: string }, Packed, (Failed | undefined)[]>(({ path, migrations }) => {
  const db = openDatabase(path)
  migrate(db, new URL(migrations))
  withoutTemporaryFiles(db)
  return { answer: writingUnits(db), close: () => db.close() }
})
