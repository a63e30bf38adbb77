import type { Statement } from '#kit/writeBatch.ts'
import type { AlertNotification, AlertRecord, AlertStore } from '#store/alerts.ts'
import { readAll } from './controlReads.ts'
import type { Dialect } from './dialect.ts'
import { readPageOf, rowsOf } from './page.ts'
import { orNull } from './rowMappings.ts'
import { type SqlReads, toStatement } from './sql.ts'
import { alert, notification } from './tables.ts'
import { insertRow } from './writeRow.ts'

const insertNotification = `
  INSERT INTO alert_sending (alert, hook, status, next_at)
  SELECT no, ?, 'pending', ? FROM alert WHERE id = ?`

export const insertAlert = (row: AlertRecord, hookIds: readonly string[]): Statement[] => [
  ...insertRow(alert, row),
  { sql: insertNotification, rows: hookIds.map((hookId) => [hookId, row.at, row.alertId]) },
]

const updateNotification = (
  alertId: string,
  { hookId, status, tries, nextAt, message }: AlertNotification,
): Statement =>
  toStatement(
    `UPDATE alert_sending SET status = ?, tries = ?, next_at = ?, message = ?
    WHERE alert = (SELECT no FROM alert WHERE id = ?) AND hook = ?`,
    status,
    tries,
    orNull(nextAt),
    orNull(message),
    alertId,
    hookId,
  )

const selectLastAlert = 'SELECT at FROM alert WHERE script = ? AND kind = ? ORDER BY no DESC LIMIT 1'
/** The first notification of each team comes before the second of any team. */
const selectDueNotifications = `
  SELECT * FROM (
    SELECT alert.*, hook, status, tries, next_at, message,
      row_number() OVER (PARTITION BY alert.team ORDER BY next_at) AS turn
    FROM alert_sending JOIN alert ON alert.no = alert_sending.alert WHERE status = 'pending' AND next_at <= ?
  ) AS due WHERE turn <= ? ORDER BY turn, next_at LIMIT ?`

/** `write` resolves when the statement is on disk. */
export function createAlertStore(
  reads: SqlReads,
  write: (statement: Statement) => Promise<void>,
  { elements }: Dialect,
): AlertStore {
  const selectNotifications = `
    SELECT alert.id, alert_sending.* FROM alert_sending JOIN alert ON alert.no = alert_sending.alert
    WHERE alert.id IN (${elements('?')}) ORDER BY alert_sending.no`
  return {
    async list(teamId, page) {
      const { rows, ...next } = await readPageOf(reads, rowsOf('alert', 'team', teamId), page, alert.read)
      const ids = JSON.stringify(rows.map(({ alertId }) => alertId))
      const sendings = Map.groupBy(await reads.all(selectNotifications, ids), ({ id }) => String(id))
      const withSendings = (each: AlertRecord) => ({
        ...each,
        sendings: (sendings.get(each.alertId) ?? []).map(notification.read),
      })
      return { rows: rows.map(withSendings), ...next }
    },
    async lastAt(scriptId, kind) {
      const row = await reads.one(selectLastAlert, scriptId, kind)
      return row && Number(row.at)
    },
    due: (nowMs, limit, perTeam = limit) =>
      readAll(reads)(
        { read: (row) => ({ ...alert.read(row), sending: notification.read(row) }) },
        selectDueNotifications,
        nowMs,
        perTeam,
        limit,
      ),
    settle: (alertId, sending) => write(updateNotification(alertId, sending)),
  }
}
