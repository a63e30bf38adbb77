import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { Writer } from '#kit/writer.ts'
import type { AlertNotification, AlertRecord, AlertStore } from '#store/alerts.ts'
import { withoutNulls } from './rowMappings.ts'
import { readPage, type SqlReader, type SqlRow } from './sqlReader.ts'
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
export const insertAlert = ({ alertId, ...each }: AlertRecord, hookIds: readonly string[]): WriteUnit => [
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
): Statement => ({
  sql: `
    UPDATE alert_sending SET status = ?, tries = ?, next_at = ?, message = ?
    WHERE alert = (SELECT no FROM alert WHERE id = ?) AND hook = ?`,
  rows: [[status, tries, nextAt ?? null, message ?? null, alertId, hookId]],
})

const selectNotifications = `
  SELECT alert_sending.* FROM alert_sending JOIN alert ON alert.no = alert_sending.alert
  WHERE alert.id = ? ORDER BY alert_sending.no`
const selectLastAlert = 'SELECT at FROM alert WHERE script = ? AND kind = ? ORDER BY no DESC LIMIT 1'
const selectDueNotifications = `
  SELECT alert.*, hook, status, tries, next_at, message FROM alert_sending JOIN alert ON alert.no = alert_sending.alert
  WHERE status = 'pending' AND next_at <= ? ORDER BY next_at LIMIT ?`

export const createAlertStore = (read: SqlReader, writer: Writer): AlertStore => ({
  async list(teamId, page) {
    const all = { sql: 'SELECT * FROM alert WHERE team = ?', params: [teamId], columns: ['no'] }
    return readPage(read, all, page, (row) => ({
      ...readAlert(row),
      sendings: read.all(selectNotifications, String(row.id)).map(readNotification),
    }))
  },
  async lastAt(scriptId, kind) {
    const row = read.one(selectLastAlert, scriptId, kind)
    return row && Number(row.at)
  },
  due: async (nowMs, limit) =>
    read
      .all(selectDueNotifications, nowMs, limit)
      .map((row) => ({ ...readAlert(row), sending: readNotification(row) })),
  settle: (alertId, sending) => writer.write([updateNotification(alertId, sending)]),
})
