import { type ChannelRules, channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Statement } from '#kit/writeBatch.ts'
import type { SnapshotScript } from '#store/snapshot.ts'
import { savedPart } from '#store/snapshotParts.ts'
import type { ScriptRecord } from '#store/store.ts'
import { mapRow, parseJson, same, type Table } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import { revision } from './tables.ts'
import { upsertRow } from './writeRow.ts'

/** Long fields are stored in the part of the saved script, `body`. */
const columns = mapRow<Omit<ScriptRecord, 'paused' | 'secrets' | 'geoRegions' | keyof ChannelRules>>({
  scriptId: 'id',
  tagId: 'tag',
  teamId: 'team',
  providerId: 'provider',
  ...same('name', 'consentCategory', 'purchaseValueMode', 'createdAt'),
  ...revision,
})
export const script: Table<ScriptRecord> = {
  name: 'script',
  key: 'id',
  columns: (each) => ({ ...columns.columns(each), part: savedPart(each).hash }),
  read(row) {
    const { geoRegions, secrets, ...rest } = parseJson(row.body) as SnapshotScript
    return {
      ...columns.read(row),
      ...(geoRegions !== undefined && { geoRegions }),
      ...channelRulesOf(rest),
      ...(row.paused === 1 && { paused: true }),
      secrets,
    }
  },
}

const insertPart = 'INSERT INTO snapshot_part (tag, hash, script, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

/** Writes a saved script as a short row that refers to the part with its settings. */
export function putScript(row: ScriptRecord): Statement[] {
  const { hash, body } = savedPart(row)
  return [toStatement(insertPart, row.tagId, hash, row.scriptId, body), ...upsertRow(script, row)]
}

/** Searches the texts of the deployments for a hash. Parsing their lists would take ten times as long. */
export const isDeployed = `
  EXISTS (SELECT 1 FROM deployment WHERE deployment.tag = snapshot_part.tag AND parts LIKE '%' || hash || '%')`

/** Drops the part of a saved script, unless the script keeps it or a deployment has it. Runs before `putScript`. */
export const dropReplacedPart = (row: ScriptRecord): Statement =>
  toStatement(
    `DELETE FROM snapshot_part
    WHERE tag = ?1 AND hash = (SELECT part FROM script WHERE id = ?2) AND hash <> ?3 AND NOT ${isDeployed}`,
    row.tagId,
    row.scriptId,
    savedPart(row).hash,
  )
