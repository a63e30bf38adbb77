import type { Statement } from '#kit/writeBatch.ts'
import type { HostClaim, Store, StoreChange } from '#store/store.ts'
import { orNull, withoutNulls } from './rowMappings.ts'
import { type SqlReads, type SqlRow, toStatement } from './sql.ts'

const updateClaim = `
  UPDATE host_claim SET claimed_at = ?, proved_since = ?, proved_at = ?, checked_at = ?, is_missing = ?
  WHERE tag = ? AND name = ?`

export const putHostClaim = ({ row }: Extract<StoreChange, { put: 'hostClaim' }>): Statement =>
  toStatement(
    updateClaim,
    row.claimedAt,
    orNull(row.provedSince),
    orNull(row.provedAt),
    orNull(row.checkedAt),
    row.isMissing ? 1 : null,
    row.tagId,
    row.host,
  )

const readClaim = (row: SqlRow): HostClaim =>
  withoutNulls<HostClaim>({
    tagId: row.tag,
    host: row.name,
    claimedAt: row.claimed_at,
    provedSince: row.proved_since,
    provedAt: row.proved_at,
    checkedAt: row.checked_at,
    isMissing: row.is_missing === 1 ? true : null,
  })

export const hostClaimsOf =
  (reads: SqlReads): Store['hostClaims'] =>
  async (selector) => {
    const all = 'SELECT * FROM host_claim'
    const order = 'ORDER BY name, claimed_at, tag'
    if (selector === 'all') return (await reads.all(`${all} ${order}`)).map(readClaim)
    const [column, value] = 'host' in selector ? ['name', selector.host] : ['tag', selector.tagId]
    return (await reads.all(`${all} WHERE ${column} = ? ${order}`, value!)).map(readClaim)
  }
