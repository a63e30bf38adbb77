import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Without a cache every thread strips the types of its files anew at every start: 50 MB more. Beside
// the packages, where only who installed Aglet writes; threads find it by the variable.
const { directory } = enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/aglet'))
if (directory) process.env.NODE_COMPILE_CACHE ??= directory

const { run } = await import('./aglet.ts')
/** Here, and here alone, it is chosen where things are kept and what they flow through. */
process.exitCode = await run({
  openStore: async (path) => (await import('#store/sqlite/store.ts')).openSqliteStore(path),
  openStream: async (path, clock) => (await import('#stream/sqlite.ts')).openSqliteStream(path, clock),
  copyStore: async (from, to, last) => (await import('#store/sqlite/backup.ts')).copySqliteStore(from, to, last),
  copyStream: async (from, to) => (await import('#stream/sqlite/backup.ts')).copySqliteStream(from, to),
})
