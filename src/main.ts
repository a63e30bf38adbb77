import { runCommandLine } from './runtime/commandLine.ts'

/** Here, and here alone, it is chosen where things are kept and what they flow through. */
process.exitCode = await runCommandLine({
  openStore: async (path, queries) => (await import('#store/sqlite/sqliteStore.ts')).openSqliteStore(path, queries),
  openStream: async (path, clock) => (await import('#stream/sqlite/sqliteStream.ts')).openSqliteStream(path, clock),
  copyStore: async (from, to, last) =>
    (await import('#store/sqlite/copySqliteStore.ts')).copySqliteStore(from, to, last),
  copyStream: async (from, to) => (await import('#stream/sqlite/backup.ts')).copySqliteStream(from, to),
})
