import type { Statement } from '#kit/writeBatch.ts'
import {
  type AlertRuleRecord,
  type ContactPointRecord,
  type IncidentChange,
  type IncidentRecord,
  type IncidentStore,
  isActive,
} from '#store/incidents.ts'
import { type PageSelect, readPageOf } from './page.ts'
import { parseJson } from './rowMappings.ts'
import { type SqlReads, type SqlRow, toStatement } from './sql.ts'
import { upsertRow } from './writeRow.ts'

const readContactPoint = (row: SqlRow): ContactPointRecord => ({
  contactPointId: String(row.id),
  teamId: String(row.team),
  name: String(row.name),
  kind: row.kind as ContactPointRecord['kind'],
  sealed: row.sealed as Uint8Array,
  createdAt: Number(row.created_at),
})

const readRule = (row: SqlRow): AlertRuleRecord => ({
  ruleId: String(row.id),
  teamId: String(row.team),
  name: String(row.name),
  settings: parseJson(row.settings) as AlertRuleRecord['settings'],
  createdAt: Number(row.created_at),
})

const readIncident = (row: SqlRow): IncidentRecord => ({
  incidentId: String(row.id),
  teamId: String(row.team),
  startedAt: Number(row.started_at),
  ...(parseJson(row.body) as Omit<IncidentRecord, 'incidentId' | 'teamId' | 'startedAt'>),
})

const incidentColumns = (row: IncidentRecord) => {
  const { incidentId, teamId, startedAt, ...body } = row
  const active = isActive(row) ? 1 : 0
  return { id: incidentId, team: teamId, started_at: startedAt, active, body: JSON.stringify(body) }
}

/** The statement of a change. */
export function incidentStatement(change: IncidentChange): Statement {
  if ('drop' in change)
    switch (change.drop) {
      case 'contactPoint':
        return toStatement('DELETE FROM contact_point WHERE id = ?', change.contactPointId)
      case 'alertRule':
        return toStatement('DELETE FROM alert_rule WHERE id = ?', change.ruleId)
      case 'incidents':
        return toStatement('DELETE FROM incident WHERE active = 0 AND started_at < ?', change.before)
    }
  switch (change.put) {
    case 'contactPoint': {
      const { contactPointId: id, teamId: team, name, kind, sealed, createdAt: created_at } = change.row
      return upsertRow('contact_point', 'team, name', { id, team, name, kind, sealed, created_at })
    }
    case 'alertRule': {
      const { ruleId: id, teamId: team, name, settings, createdAt: created_at } = change.row
      return upsertRow('alert_rule', 'team, name', { id, team, name, settings: JSON.stringify(settings), created_at })
    }
    case 'incident':
      return upsertRow('incident', 'id', incidentColumns(change.row))
  }
}

const ofTeam = (table: string, teamId: string): PageSelect => ({
  sql: `SELECT * FROM ${table} WHERE team = ?`,
  params: [teamId],
  columns: ['no'],
})

/** Reads the tables of alert rules. */
export function createIncidentStore(reads: SqlReads): IncidentStore {
  const named = async (table: string, teamId: string, name: string) =>
    reads.one(`SELECT * FROM ${table} WHERE team = ? AND name = ?`, teamId, name)
  return {
    contactPoints: (teamId, page) => readPageOf(reads, ofTeam('contact_point', teamId), page, readContactPoint),
    async contactPoint(teamId, name) {
      const row = await named('contact_point', teamId, name)
      return row && readContactPoint(row)
    },
    rules: (teamId, page) => readPageOf(reads, ofTeam('alert_rule', teamId), page, readRule),
    async rule(teamId, name) {
      const row = await named('alert_rule', teamId, name)
      return row && readRule(row)
    },
    allRules: async () => (await reads.all('SELECT * FROM alert_rule ORDER BY no')).map(readRule),
    list: (teamId, page) => readPageOf(reads, ofTeam('incident', teamId), page, readIncident),
    active: async () => (await reads.all('SELECT * FROM incident WHERE active = 1 ORDER BY no')).map(readIncident),
  }
}
