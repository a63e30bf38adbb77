import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storeLaws } from '#store/store.suite.ts'
import { openSqliteStore } from './sqliteStore.ts'

storeLaws('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'aglet-store-'))
  return {
    open: () => openSqliteStore(join(directory, 'store.db')),
    remove: () => rm(directory, { recursive: true, force: true }),
  }
})
