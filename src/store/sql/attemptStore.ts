import type { SqlParam, Statement } from '#kit/writeBatch.ts'
import type { AttemptStore } from '#store/attempts.ts'
import { type SqlReads, toStatement } from './sql.ts'

/** Changes no row if the name has reached its maximum. A window that has ended, or has no attempt, starts again. */
const countAttempt = `
  INSERT INTO sign_in_attempt (name, failures, expires_at) VALUES (?1, 1, ?2)
  ON CONFLICT (name) DO UPDATE SET
    failures = CASE WHEN sign_in_attempt.expires_at <= ?3 THEN 1 ELSE sign_in_attempt.failures + 1 END,
    expires_at = CASE WHEN sign_in_attempt.expires_at <= ?3 OR sign_in_attempt.failures = 0 THEN excluded.expires_at
      ELSE sign_in_attempt.expires_at END
  WHERE sign_in_attempt.expires_at <= ?3 OR sign_in_attempt.failures < ?4`
/** The next attempt is allowed one window (`?2` minus now) before `expires_at`. */
const countSlowedAttempt = `
  INSERT INTO sign_in_attempt (name, failures, expires_at) VALUES (?1, 1, ?2)
  ON CONFLICT (name) DO UPDATE SET
    failures = CASE WHEN sign_in_attempt.expires_at <= ?3 THEN 1 ELSE sign_in_attempt.failures + 1 END,
    expires_at = excluded.expires_at + CASE
      WHEN sign_in_attempt.expires_at <= ?3 OR sign_in_attempt.failures + 2 <= ?4 THEN 0
      WHEN (sign_in_attempt.failures + 2 - ?4) * (sign_in_attempt.failures + 2 - ?4) >= ?5 THEN ?6
      ELSE (sign_in_attempt.failures + 2 - ?4) * (sign_in_attempt.failures + 2 - ?4) * ?7 END
  WHERE sign_in_attempt.failures < ?4 OR sign_in_attempt.expires_at <= ?2`
const undoAttempt = 'UPDATE sign_in_attempt SET failures = failures - 1 WHERE name = ? AND failures > 0'
const resetAttempts = 'DELETE FROM sign_in_attempt WHERE name = ?'
const selectExpiry = 'SELECT expires_at FROM sign_in_attempt WHERE name = ?'
const sweepAttempts = `
  DELETE FROM sign_in_attempt WHERE expires_at <= ?1 OR expires_at <=
    (SELECT expires_at FROM sign_in_attempt ORDER BY expires_at DESC LIMIT 1 OFFSET ?2)`

/** `change` resolves with the number of changed rows when the statement is on disk. */
export function createAttemptStore(
  reads: Pick<SqlReads, 'one'>,
  change: (statement: Statement) => Promise<number>,
): AttemptStore {
  const run = async (sql: string, ...params: SqlParam[]) => void (await change(toStatement(sql, ...params)))
  return {
    async count({ name, max, windowMs, delay }, nowMs) {
      const window = [name, nowMs + windowMs, nowMs, max] as const
      const changed = await change(
        delay
          ? toStatement(countSlowedAttempt, ...window, delay.maxMs / delay.firstMs, delay.maxMs, delay.firstMs)
          : toStatement(countAttempt, ...window),
      )
      if (changed > 0) return 0
      const row = await reads.one(selectExpiry, name)
      const until = Number(row?.expires_at ?? 0) - (delay ? windowMs : 0)
      // At least a millisecond, even if the window has just ended: the attempt was not counted.
      return Math.max(1, until - nowMs)
    },
    undo: (name) => run(undoAttempt, name),
    reset: (name) => run(resetAttempts, name),
    sweep: (nowMs, maxNames) => run(sweepAttempts, nowMs, maxNames),
  }
}
