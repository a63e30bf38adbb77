import type { Statement } from '#kit/writeBatch.ts'
import { type IncidentChange, type IncidentRecord, type IncidentStore, isActive } from '#store/incidents.ts'
import { readAll, readFirst } from './controlReads.ts'
import { readPageOf, rowsOf } from './page.ts'
import { parseJson, type Table } from './rowMappings.ts'
import type { SqlReads } from './sql.ts'
import { alertRule, contactPoint } from './tables.ts'
import { type Dropped, deleteStatement, upsertRow } from './writeRow.ts'

const incident: Table<IncidentRecord> = {
  name: 'incident',
  key: 'id',
  columns(row) {
    const { incidentId, teamId, startedAt, ...body } = row
    const active = isActive(row) ? 1 : 0
    return { id: incidentId, team: teamId, started_at: startedAt, active, body: JSON.stringify(body) }
  },
  read: ({ id, team, started_at, body }) => ({
    incidentId: String(id),
    teamId: String(team),
    startedAt: Number(started_at),
    ...(parseJson(body) as Omit<IncidentRecord, 'incidentId' | 'teamId' | 'startedAt'>),
  }),
}
const tableOfPut: { [Change in Extract<IncidentChange, { put: string }> as Change['put']]: Table<Change['row']> } = {
  contactPoint,
  alertRule,
  incident,
}

const dropped: Dropped<Extract<IncidentChange, { drop: string }>> = {
  contactPoint: ({ contactPointId }) => ['contact_point WHERE id = ?', contactPointId],
  alertRule: ({ ruleId }) => ['alert_rule WHERE id = ?', ruleId],
  incidents: ({ before }) => ['incident WHERE active = 0 AND started_at < ?', before],
}

export const incidentStatement = (change: IncidentChange): Statement =>
  'put' in change ? upsertRow(tableOfPut[change.put], change.row) : deleteStatement(dropped, change)

export function createIncidentStore(reads: SqlReads): IncidentStore {
  const [first, all] = [readFirst(reads), readAll(reads)]
  const ofName = 'WHERE team = ? AND name = ?'
  return {
    contactPoints: (teamId, page) =>
      readPageOf(reads, rowsOf('contact_point', 'team', teamId), page, contactPoint.read),
    contactPoint: (teamId, name) => first(contactPoint, `SELECT * FROM contact_point ${ofName}`, teamId, name),
    rules: (teamId, page) => readPageOf(reads, rowsOf('alert_rule', 'team', teamId), page, alertRule.read),
    rule: (teamId, name) => first(alertRule, `SELECT * FROM alert_rule ${ofName}`, teamId, name),
    allRules: () => all(alertRule, 'SELECT * FROM alert_rule ORDER BY no'),
    list: (teamId, page) => readPageOf(reads, rowsOf('incident', 'team', teamId), page, incident.read),
    active: () => all(incident, 'SELECT * FROM incident WHERE active = 1 ORDER BY no'),
  }
}
