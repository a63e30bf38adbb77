import type { Statement } from '#kit/writeBatch.ts'
import type { AlertNotification, AlertRecord, AlertStore } from '#store/alerts.ts'
import { readAll } from './controlReads.ts'
import { readPageOf } from './page.ts'
import { orNull, withoutNulls } from './rowMappings.ts'
import { type Dialect, type SqlReads, type SqlRow, toStatement } from './sql.ts'
import { insertRow } from './writeRow.ts'

const readAlert = (row: SqlRow) =>
  withoutNulls<AlertRecord>({
    alertId: row.id,
    teamId: row.team,
    kind: row.kind,
    tagId: row.tag,
    scriptId: row.script,
    reason: row.reason,
    count: row.count,
    since: row.since,
    at: row.at,
  })

const readNotification = (row: SqlRow) =>
  withoutNulls<AlertNotification>({
    hookId: row.hook,
    status: row.status,
    tries: row.tries,
    nextAt: row.next_at,
    message: row.message,
  })

const insertNotification = `
  INSERT INTO alert_sending (alert, hook, status, next_at)
  SELECT no, ?, 'pending', ? FROM alert WHERE id = ?`

/** Inserts an alert and its pending notifications. */
export const insertAlert = ({ alertId, ...each }: AlertRecord, hookIds: readonly string[]): Statement[] => [
  insertRow('alert', {
    id: alertId,
    team: each.teamId,
    kind: each.kind,
    tag: each.tagId,
    script: each.scriptId,
    reason: each.reason,
    count: each.count,
    since: each.since,
    at: each.at,
  }),
  { sql: insertNotification, rows: hookIds.map((hookId) => [hookId, each.at, alertId]) },
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
/** The first of each team come before the second of any. */
const selectDueNotifications = `
  SELECT * FROM (
    SELECT alert.*, hook, status, tries, next_at, message,
      row_number() OVER (PARTITION BY alert.team ORDER BY next_at) AS turn
    FROM alert_sending JOIN alert ON alert.no = alert_sending.alert WHERE status = 'pending' AND next_at <= ?
  ) AS due WHERE turn <= ? ORDER BY turn, next_at LIMIT ?`

/** `write` writes a statement, and resolves when it is on disk. */
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
      const select = { sql: 'SELECT * FROM alert WHERE team = ?', params: [teamId], columns: ['no'] }
      const { rows, ...next } = await readPageOf(reads, select, page, readAlert)
      const ids = JSON.stringify(rows.map(({ alertId }) => alertId))
      const sendings = Map.groupBy(await reads.all(selectNotifications, ids), ({ id }) => String(id))
      const withSendings = (each: AlertRecord) => ({
        ...each,
        sendings: (sendings.get(each.alertId) ?? []).map(readNotification),
      })
      return { rows: rows.map(withSendings), ...next }
    },
    async lastAt(scriptId, kind) {
      const row = await reads.one(selectLastAlert, scriptId, kind)
      return row && Number(row.at)
    },
    due: (nowMs, limit, perTeam = limit) =>
      readAll(reads)(
        { read: (row) => ({ ...readAlert(row), sending: readNotification(row) }) },
        selectDueNotifications,
        nowMs,
        perTeam,
        limit,
      ),
    settle: (alertId, sending) => write(updateNotification(alertId, sending)),
  }
}
