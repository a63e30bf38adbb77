import type { Statement, Unit } from '#kit/units.ts'
import type { Writer } from '#kit/writer.ts'
import type { AlertRecord, AlertSending, Alerts } from '#store/alerts.ts'
import { insert } from './insert.ts'
import { type Read, type Row, readPage } from './read.ts'
import { present } from './rows.ts'

const alertRow = (row: Row) =>
  present<AlertRecord>({
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

const sendingRow = (row: Row) =>
  present<AlertSending>({
    hookId: row.hook,
    status: row.status,
    tries: row.tries,
    nextAt: row.next_at,
    message: row.message,
  })

const add = `
  INSERT INTO alert_sending (alert, hook, status, next_at)
  SELECT no, ?, 'pending', ? FROM alert WHERE id = ?`

/** What writes an alert and which hooks are to be told of it. */
export const addAlert = ({ alertId, ...each }: AlertRecord, hookIds: readonly string[]): Unit => [
  insert('alert', {
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
  { sql: add, rows: hookIds.map((hookId) => [hookId, each.at, alertId]) },
]

const settled = (alertId: string, { hookId, status, tries, nextAt, message }: AlertSending): Statement => ({
  sql: `
    UPDATE alert_sending SET status = ?, tries = ?, next_at = ?, message = ?
    WHERE alert = (SELECT no FROM alert WHERE id = ?) AND hook = ?`,
  rows: [[status, tries, nextAt ?? null, message ?? null, alertId, hookId]],
})

const ofAlert = `
  SELECT alert_sending.* FROM alert_sending JOIN alert ON alert.no = alert_sending.alert
  WHERE alert.id = ? ORDER BY alert_sending.no`
const last = 'SELECT at FROM alert WHERE script = ? AND kind = ? ORDER BY no DESC LIMIT 1'
const due = `
  SELECT alert.*, hook, status, tries, next_at, message FROM alert_sending JOIN alert ON alert.no = alert_sending.alert
  WHERE status = 'pending' AND next_at <= ? ORDER BY next_at LIMIT ?`

export const alertsOf = (read: Read, writer: Writer): Alerts => ({
  async list(teamId, page) {
    const all = { sql: 'SELECT * FROM alert WHERE team = ?', params: [teamId], columns: ['no'] }
    return readPage(read, all, page, (row) => ({
      ...alertRow(row),
      sendings: read.all(ofAlert, String(row.id)).map(sendingRow),
    }))
  },
  async lastAt(scriptId, kind) {
    const row = read.one(last, scriptId, kind)
    return row && Number(row.at)
  },
  due: async (nowMs, limit) =>
    read.all(due, nowMs, limit).map((row) => ({ ...alertRow(row), sending: sendingRow(row) })),
  settle: (alertId, sending) => writer.write([settled(alertId, sending)]),
})
