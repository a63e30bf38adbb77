import type { WriteUnit } from '#kit/writeBatch.ts'
import { type IncidentChange, type IncidentRecord, type IncidentStore, isActive } from '#store/incidents.ts'
import { writtenBy } from './changeTable.ts'
import { readAll, readFirst } from './controlReads.ts'
import { readPageOf, rowsOf } from './page.ts'
import { parseJson, type Table } from './rowMappings.ts'
import type { SqlReads } from './sql.ts'
import { alertRule, contactPoint } from './tables.ts'
import { deleteRows, upsertRow } from './writeRow.ts'

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

/** The statements of a change. */
export const incidentStatements = writtenBy<IncidentChange, WriteUnit>({
  'put contactPoint': ({ row }) => upsertRow(contactPoint, row),
  'drop contactPoint': ({ contactPointId }) => deleteRows('contact_point WHERE id = ?', contactPointId),
  'put alertRule': ({ row }) => upsertRow(alertRule, row),
  'drop alertRule': ({ ruleId }) => deleteRows('alert_rule WHERE id = ?', ruleId),
  'put incident': ({ row }) => upsertRow(incident, row),
  'drop incidents': ({ before }) => deleteRows('incident WHERE active = 0 AND started_at < ?', before),
})

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
