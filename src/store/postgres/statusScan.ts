import { statuses as allStatuses } from '#contract/deliveryStatus.ts'
import { toBinaryFields } from '#postgres/binaryArrays.ts'
import type { Sql, SqlValue } from '#postgres/database.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'

/** A combination of script, status and reason that deliveries of a tag have. The status is not delivered. */
export type StatusKey = { script: string; status: string; reason: string | null }

/** The condition of the index `delivery_stands`. */
const notDelivered = `delivery.status <> 'delivered'`

/** Loose index scans: they seek from one script, and from one reason, to the next. */
const selectScripts = `
  WITH RECURSIVE found AS (
    (SELECT script FROM delivery WHERE tag = $1 AND ${notDelivered} ORDER BY script LIMIT 1)
    UNION ALL
    SELECT next.script FROM found CROSS JOIN LATERAL (
      SELECT script FROM delivery WHERE tag = $1 AND ${notDelivered} AND delivery.script > found.script
      ORDER BY script LIMIT 1
    ) AS next
  ) SELECT script FROM found`
const inPair = `tag = $1 AND ${notDelivered} AND delivery.script = pair.script AND delivery.status = pair.status`
const selectKeys = `
  WITH RECURSIVE pair AS MATERIALIZED (
    SELECT script, status FROM unnest($2::text[]) AS script CROSS JOIN unnest($3::text[]) AS status
  ), found AS (
    SELECT pair.script, pair.status, first.reason FROM pair CROSS JOIN LATERAL (
      SELECT reason FROM delivery WHERE ${inPair} AND reason IS NOT NULL ORDER BY reason LIMIT 1
    ) AS first
    UNION ALL
    SELECT pair.script, pair.status, next.reason FROM found AS pair CROSS JOIN LATERAL (
      SELECT reason FROM delivery WHERE ${inPair} AND delivery.reason > pair.reason ORDER BY reason LIMIT 1
    ) AS next
  )
  SELECT script, status, reason FROM found UNION ALL
  SELECT pair.script, pair.status, NULL FROM pair CROSS JOIN LATERAL (
    SELECT 1 FROM delivery WHERE ${inPair} AND reason IS NULL LIMIT 1
  ) AS first`

/** The combinations, but delivered, that match the filter; of these scripts, by default of all scripts of the tag. */
export async function scanStatuses(
  sql: Sql,
  tagId: string,
  { statuses = allStatuses, reasons }: Pick<DeliveryFilter, 'statuses' | 'reasons'>,
  scriptIds?: readonly string[],
): Promise<StatusKey[]> {
  const scripts = scriptIds ?? (await sql<{ script: string }>(selectScripts, [tagId])).map(({ script }) => script)
  if (scripts.length === 0) return []
  const keys = await sql<StatusKey>(selectKeys, [tagId, scripts, statuses])
  return keys.filter(({ reason }) => reasons?.some((each) => each === reason) ?? true)
}

/** The parameters $2 to $4 of a statement with `ofEachKey`. */
export const keyColumns = (keys: readonly StatusKey[]): SqlValue[] =>
  toBinaryFields(keys, { script: 'text', status: 'text', reason: 'text' })

const ofKey = `FROM delivery WHERE tag = $1 AND ${notDelivered} AND delivery.script = key.script
  AND delivery.status = key.status`

/**
 * The FROM clause of a read of the deliveries of each key, as `found`. The index `delivery_stands` has those of a key in
 * order of arrival. Two reads for each key, because no index is used for IS NOT DISTINCT FROM; one of them ends at once.
 * They are sorted by their reason too, because IS NULL does not tell the planner that it is one value. $1 is the tag.
 */
export function ofEachKey(
  columns: string,
  { condition = '', order, limit }: { condition?: string; order?: 'ASC' | 'DESC'; limit?: string } = {},
): string {
  const sorted = order ? `ORDER BY delivery.reason ${order}, position ${order}, idx ${order}` : ''
  const tail = `${condition} ${sorted} ${limit ? `LIMIT ${limit}` : ''}`
  return `
  FROM unnest($2::text[], $3::text[], $4::text[]) AS key (script, status, reason) CROSS JOIN LATERAL (
    (SELECT ${columns} ${ofKey} AND delivery.reason = key.reason ${tail})
    UNION ALL
    (SELECT ${columns} ${ofKey} AND delivery.reason IS NULL AND key.reason IS NULL ${tail})
  ) AS found`
}
