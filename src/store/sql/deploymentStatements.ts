import type { Statement } from '#kit/writeBatch.ts'
import { newParts, partHashes } from '#store/snapshotParts.ts'
import type { StoreChange } from '#store/store.ts'
import { deployment, orNull } from './rowMappings.ts'
import { type Dialect, toStatement } from './sql.ts'
import { insertRow } from './writeRow.ts'

const insertPart = 'INSERT INTO snapshot_part (tag, hash, script, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

/**
 * Writes a deployment and its new parts. The deployment is first: in PostgreSQL its row locks the tag, so that no part is
 * dropped meanwhile. The previous deployment is the newest one if the number is free, so that its parts exist.
 */
export const deploymentStatements = ({
  row: { snapshot, ...row },
  previous,
}: Extract<StoreChange, { add: 'deployment' }>): Statement[] => [
  insertRow('deployment', deployment.columns({ ...row, parts: partHashes(snapshot) })),
  {
    sql: insertPart,
    rows: newParts(snapshot, previous).map(({ hash, scriptId, body }) => [row.tagId, hash, orNull(scriptId), body]),
  },
]

/** Drops the parts of a tag that no deployment has, and the secrets of scripts that are in none and deleted. */
export function dropUnusedParts({ deployedParts }: Dialect, tagId: string): Statement[] {
  const used = `SELECT script FROM snapshot_part WHERE tag = ?1 AND hash IN (${deployedParts('?1')})`
  const unused = `tag = ?1 AND hash NOT IN (${deployedParts('?1')})`
  return [
    toStatement(
      `DELETE FROM secret_version WHERE script IN (
        SELECT script FROM snapshot_part WHERE ${unused}
        EXCEPT ${used} EXCEPT SELECT id FROM script WHERE tag = ?1)`,
      tagId,
    ),
    toStatement(`DELETE FROM snapshot_part WHERE ${unused}`, tagId),
  ]
}
