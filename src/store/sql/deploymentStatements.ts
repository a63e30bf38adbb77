import type { Statement } from '#kit/writeBatch.ts'
import { newParts, partHashes } from '#store/snapshotParts.ts'
import type { StoreChange } from '#store/store.ts'
import type { Dialect } from './dialect.ts'
import { orNull } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import { deployment } from './tables.ts'
import { insertRow } from './writeRow.ts'

type AddDeployment = Extract<StoreChange, { add: 'deployment' }>

/**
 * The deployment comes first: its row locks the tag, so that retention drops no part meanwhile. Then the parts that the
 * previous deployment lacks: if the number is free, the previous one is the newest, so its parts exist. The parts are
 * sorted, so that concurrent writes wait instead of deadlocking.
 */
export function createDeploymentStatements({ insert }: Dialect): (change: AddDeployment) => Statement[] {
  const columns = { tag: 'text', hash: 'text', script: 'text', body: 'text' } as const
  const insertParts = insert('snapshot_part', columns, 'ON CONFLICT DO NOTHING')
  return ({ row: { snapshot, ...row }, previous }) => {
    const parts = newParts(snapshot, previous).sort((one, other) => (one.hash < other.hash ? -1 : 1))
    return [
      ...insertRow(deployment, { ...row, parts: partHashes(snapshot) }),
      insertParts(parts.map(({ hash, scriptId, body }) => [row.tagId, hash, orNull(scriptId), body])),
    ]
  }
}

/**
 * Drops the parts of a tag that no deployment and no saved script refers to, and the secrets of deleted scripts that
 * are in no deployment.
 */
export function dropUnusedParts({ deployedParts }: Dialect, tagId: string): Statement[] {
  const usedParts = `${deployedParts('?1')} UNION SELECT part FROM script WHERE tag = ?1`
  const used = `SELECT script FROM snapshot_part WHERE tag = ?1 AND hash IN (${usedParts})`
  const unused = `tag = ?1 AND hash NOT IN (${usedParts})`
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
