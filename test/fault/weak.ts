/**
 * Preloaded (`--import`) for the negative control only: makes SQLite connections skip the sync of their commits while they
 * report success.
 */
import { DatabaseSync } from 'node:sqlite'

const { exec, prepare } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  return exec.call(this, sql.replace(/synchronous = FULL/i, 'synchronous = NORMAL'))
}
DatabaseSync.prototype.prepare = function (sql, ...more) {
  return prepare.call(this, sql === 'PRAGMA synchronous' ? 'SELECT 2 AS synchronous' : sql, ...more)
}
