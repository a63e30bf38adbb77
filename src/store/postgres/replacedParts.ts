import type { Sql } from '#postgres/database.ts'
import { isDeployed } from '#store/sql/scriptStatements.ts'
import type { StoreChange } from '#store/store.ts'

type ReplacedPart = { tag: string; part: string }

const selectParts = 'SELECT tag, part FROM script WHERE id = ANY ($1::text[])'

/** The parts that the scripts of a write have before it. */
export async function partsOfScripts(sql: Sql, changes: readonly StoreChange[]): Promise<ReplacedPart[]> {
  const scriptIds = changes.flatMap((each) => ('put' in each && each.put === 'script' ? each.row.scriptId : []))
  return scriptIds.length > 0 ? sql<ReplacedPart>(selectParts, [scriptIds]) : []
}

/** Waits for nobody: what another write under way keeps here is dropped with an old deployment. */
const lockTag = 'SELECT id FROM tag WHERE id = $1 FOR UPDATE SKIP LOCKED'
const dropParts = `
  DELETE FROM snapshot_part WHERE tag = $1 AND hash = ANY ($2::text[]) AND NOT ${isDeployed}
    AND NOT EXISTS (SELECT 1 FROM script WHERE script.tag = $1 AND part = hash)`

/** Drops the parts that no script and no deployment has any more. At the end of a write, because it locks the tag. */
export async function dropReplacedParts(sql: Sql, parts: readonly ReplacedPart[]): Promise<void> {
  for (const [tag, rows] of Map.groupBy(parts, (each) => each.tag)) {
    const hashes = rows.map(({ part }) => part)
    if ((await sql(lockTag, [tag])).length > 0) await sql(dropParts, [tag, hashes])
  }
}
