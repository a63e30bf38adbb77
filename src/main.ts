import { run } from './aglet.ts'

/** Here, and here alone, it is chosen where things are kept and what they flow through. */
process.exitCode = await run({
  openStore: async (path, queries) => (await import('#store/sqlite/store.ts')).openSqliteStore(path, queries),
  openStream: async (path, clock) => (await import('#stream/sqlite.ts')).openSqliteStream(path, clock),
  copyStore: async (from, to, last) => (await import('#store/sqlite/backup.ts')).copySqliteStore(from, to, last),
  copyStream: async (from, to) => (await import('#stream/sqlite/backup.ts')).copySqliteStream(from, to),
})
