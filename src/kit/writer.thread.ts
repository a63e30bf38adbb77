import { migrate } from './migrate.ts'
import { openDatabase } from './sqlite.ts'
import { runThread } from './thread.ts'
import { type Failed, type Unit, writingUnits } from './units.ts'

runThread<{ path: string; migrations: string }, readonly Unit[], (Failed | undefined)[]>(({ path, migrations }) => {
  const db = openDatabase(path)
  migrate(db, new URL(migrations))
  return { answer: writingUnits(db), close: () => db.close() }
})
