import { channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Statement } from '#kit/writeBatch.ts'
import type { SnapshotScript } from '#store/snapshot.ts'
import { savedPart } from '#store/snapshotParts.ts'
import type { ScriptRecord } from '#store/store.ts'
import { orNull, parseJson, type RowMapping, readRevision, revisionColumns, withoutNulls } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import { upsertRow } from './writeRow.ts'

/** What may be long is in the part of the saved script, `body`. */
export const script: RowMapping<ScriptRecord> = {
  columns: (each) => ({
    id: each.scriptId,
    tag: each.tagId,
    team: each.teamId,
    name: each.name,
    provider: each.providerId,
    consent_category: orNull(each.consentCategory),
    purchase_value_mode: orNull(each.purchaseValueMode),
    part: savedPart(each).hash,
    created_at: each.createdAt,
    ...revisionColumns(each),
  }),
  read: (row) => {
    const { geoRegions, secrets, ...rest } = parseJson(row.body) as SnapshotScript
    return withoutNulls<ScriptRecord>({
      scriptId: row.id,
      tagId: row.tag,
      teamId: row.team,
      name: row.name,
      providerId: row.provider,
      consentCategory: row.consent_category,
      geoRegions: orNull(geoRegions),
      purchaseValueMode: row.purchase_value_mode,
      ...{ filter: null, rename: null, map: null, sample: null, ...channelRulesOf(rest) },
      paused: row.paused === 1 ? true : null,
      secrets,
      createdAt: row.created_at,
      ...readRevision(row),
    })
  },
}

const insertPart = 'INSERT INTO snapshot_part (tag, hash, script, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

/** Writes a saved script: a short row that refers to the part with its settings. */
export function putScript(row: ScriptRecord): Statement[] {
  const { hash, body } = savedPart(row)
  return [toStatement(insertPart, row.tagId, hash, row.scriptId, body), upsertRow('script', 'id', script.columns(row))]
}

/** Looks for a hash in the texts of the deployments, which takes a tenth of the time of reading their lists. */
export const isDeployed = `
  EXISTS (SELECT 1 FROM deployment WHERE deployment.tag = snapshot_part.tag AND parts LIKE '%' || hash || '%')`

/** Drops the part that a saved script has, unless it keeps it or a deployment has it. Before `putScript`. */
export const dropReplacedPart = (row: ScriptRecord): Statement =>
  toStatement(
    `DELETE FROM snapshot_part
    WHERE tag = ?1 AND hash = (SELECT part FROM script WHERE id = ?2) AND hash <> ?3 AND NOT ${isDeployed}`,
    row.tagId,
    row.scriptId,
    savedPart(row).hash,
  )
