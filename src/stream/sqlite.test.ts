import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStream } from './sqlite.ts'
import { streamLaws } from './stream.suite.ts'

streamLaws('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'aglet-stream-'))
  return {
    open: (clock) => openSqliteStream(join(directory, 'stream.db'), clock),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})
