/**
 * Loaded before the product (`--import`), for the negative control alone: makes every connection of SQLite one that
 * does not sync its commits, and lets it say that it does.
 */
import { DatabaseSync } from 'node:sqlite'

const { exec, prepare } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  return exec.call(this, sql.replace(/synchronous = FULL/i, 'synchronous = NORMAL'))
}
DatabaseSync.prototype.prepare = function (sql, ...more) {
  return prepare.call(this, sql === 'PRAGMA synchronous' ? 'SELECT 2 AS synchronous' : sql, ...more)
}
