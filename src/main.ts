import { runCommandLine } from './commandLine.ts'

/** The store's log writes at most fifty groups per second. Each group costs a sync, and one event would need several. */
const groupPauseMs = 20

/** Starts the command line with the implementations of store, stream and cluster. No other file selects them. */
process.exitCode = await runCommandLine({
  openStore: async (path, queries) =>
    (await import('#store/sqlite/sqliteStore.ts')).openSqliteStore(path, queries, groupPauseMs),
  openStream: async (path, clock) => (await import('#stream/log/logStream.ts')).openLogStream(path, clock),
  inspectShared: async (options) => (await import('./postgresAdapters.ts')).inspectPostgres(options),
  openDatabase: async (options) => (await import('./postgresAdapters.ts')).openPostgresAdapters(options),
  copyStore: async (from, to, last) =>
    (await import('#store/sqlite/copySqliteStore.ts')).copySqliteStore(from, to, last),
  copyStream: async (from, to) => (await import('#stream/log/copyLogStream.ts')).copyLogStream(from, to),
  inspectStore: async (path) => (await import('#store/sqlite/inspectSqliteStore.ts')).inspectSqliteStore(path),
  inspectStream: async (path) => (await import('#stream/log/inspectLogStream.ts')).inspectLogStream(path),
})
