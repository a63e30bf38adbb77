import type { Database, Sql } from '#postgres/database.ts'
import { repeatWhileAway } from '#postgres/repeatWhileAway.ts'
import type { RetentionStep } from '#store/sql/retention.ts'

/** Rows per transaction. */
const rowsPerSlice = 10_000
/** Slices that are deleted at once. Retention deletes the rest. */
const slicesAtOnce = 20

const deleteSlice = (table: string, key: string) => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE tag = $1 ORDER BY ${key} LIMIT ${rowsPerSlice} FOR UPDATE
  )) RETURNING 1`

/** The tables with many rows of one tag. */
const largeTables = [
  deleteSlice('tag_user', 'id'),
  deleteSlice('email_user', 'fingerprint, kind, user_id'),
  deleteSlice('custom_user', 'fingerprint, user_id'),
  deleteSlice('webhook_run', 'tag'),
  deleteSlice('webhook_run_event', 'key'),
  deleteSlice('shop_order_name', 'hash'),
  deleteSlice('shop_order', 'id'),
  deleteSlice('order_outcome', 'outcome'),
  deleteSlice('order_payload_person', 'person, id'),
  deleteSlice('order_payload', 'id'),
]

/** Records that the rows of the large tables are to be deleted. */
export async function addDroppedTag(sql: Sql, tagId: string): Promise<void> {
  await sql('INSERT INTO dropped_tag VALUES ($1) ON CONFLICT DO NOTHING', [tagId])
}

/** Deletes up to 10,000 rows of a dropped tag in one transaction. Returns false if none was left. */
export async function deleteTagSlice(sql: Sql, tagId: string): Promise<boolean> {
  for (const text of largeTables) if ((await sql(text, [tagId])).length > 0) return true
  await sql('DELETE FROM dropped_tag WHERE tag = $1', [tagId])
  return false
}

type TransactionDatabase = Pick<Database, 'transaction'>

const deleteOnce = (database: TransactionDatabase, tagId: string) =>
  repeatWhileAway(() => database.transaction((sql) => deleteTagSlice(sql, tagId)))

/** Deletes the rows of a dropped tag, up to 200,000. Throws DatabaseError. */
export async function deleteDroppedTag(database: TransactionDatabase, tagId: string): Promise<void> {
  for (let slice = 0; slice < slicesAtOnce; slice++) if (!(await deleteOnce(database, tagId))) return
}

/** Deletes rows that the call that dropped their tag left. */
export const dropLeftTag =
  (database: TransactionDatabase): RetentionStep =>
  async (reads, _cutoffs, tagId, cursor) => {
    const left = await reads.one('SELECT tag FROM dropped_tag WHERE tag = ?', tagId)
    const hasMore = left && (await deleteOnce(database, tagId))
    return { statements: [], dropped: 0, next: hasMore ? cursor : undefined }
  }
