import { migrate } from '#kit/migrate.ts'
import { keepTemporaryDataInMemory, openDatabase } from '#kit/sqlite.ts'
import { runThread } from '#kit/thread.ts'
import { groupCommitter, type StreamCommand, type StreamCommandResult } from './groupCommit.ts'

const migrations = new URL('./migrations/', import.meta.url)

runThread<string, StreamCommand, StreamCommandResult>((path) => {
  const db = openDatabase(path, { cacheKib: 8192, checkpointPages: 4000 })
  migrate(db, migrations)
  keepTemporaryDataInMemory(db)
  return {
    answer: groupCommitter(db),
    transfer: ({ entries }) => (entries ? [entries] : []),
    close: () => db.close(),
  }
})
