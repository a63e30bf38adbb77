import { migrate } from '#kit/migrate.ts'
import { openDatabase, withoutTemporaryFiles } from '#kit/sqlite.ts'
import { runThread } from '#kit/thread.ts'
import { type Answer, type Ask, writingGroups } from './groups.ts'

const migrations = new URL('./migrations/', import.meta.url)

runThread<string, Ask, Answer>((path) => {
  const db = openDatabase(path, { cacheKib: 8192, checkpointPages: 4000 })
  migrate(db, migrations)
  withoutTemporaryFiles(db)
  return {
    answer: writingGroups(db),
    transfer: ({ entries }) => (entries ? [entries] : []),
    close: () => db.close(),
  }
})
