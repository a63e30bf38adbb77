import type { WriteUnit } from '#kit/writeBatch.ts'
import type { HostClaim, Store, StoreChange } from '#store/store.ts'

import { selectRef } from './refs.ts'
import { orNull, withoutNulls } from './rowMappings.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'

/** A secret refers only to its script, and a deployment may still contain a deleted script. */
const scriptsOfTag = `
  SELECT id FROM script WHERE tag = ?1 UNION
  SELECT each.value ->> 'scriptId' FROM deployment, json_each(deployment.snapshot, '$.scripts') AS each WHERE tag = ?1`

/** In this order because of the foreign keys. */
const deleteTagStatements = [
  `DELETE FROM secret_version WHERE script IN (${scriptsOfTag})`,
  'DELETE FROM script WHERE tag = ?',
  'DELETE FROM deployment WHERE tag = ?',
  'DELETE FROM host_claim WHERE tag = ?',
  `DELETE FROM email_user WHERE tag = ${selectRef}`,
  `DELETE FROM custom WHERE tag = ${selectRef}`,
  `DELETE FROM user WHERE tag = ${selectRef}`,
  'DELETE FROM tag WHERE id = ?',
]

export const deleteTag = ({ tagId }: Extract<StoreChange, { drop: 'tag' }>): WriteUnit =>
  deleteTagStatements.map((sql) => ({ sql, rows: [[tagId]] }))

export const replaceHosts = ({ tagId, hosts, at }: Extract<StoreChange, { put: 'hosts' }>): WriteUnit => [
  {
    sql: 'DELETE FROM host_claim WHERE tag = ? AND name NOT IN (SELECT value FROM json_each(?))',
    rows: [[tagId, JSON.stringify(hosts)]],
  },
  {
    sql: 'INSERT INTO host_claim (tag, name, claimed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    rows: hosts.map((host) => [tagId, host, at]),
  },
]

const claimColumns = 'claimed_at = ?, proved_since = ?, proved_at = ?, checked_at = ?, is_missing = ?'

export const putHostClaim = ({ row }: Extract<StoreChange, { put: 'hostClaim' }>): WriteUnit => [
  {
    sql: `UPDATE host_claim SET ${claimColumns} WHERE tag = ? AND name = ?`,
    rows: [
      [
        row.claimedAt,
        orNull(row.provedSince),
        orNull(row.provedAt),
        orNull(row.checkedAt),
        row.isMissing ? 1 : null,
        row.tagId,
        row.host,
      ],
    ],
  },
]

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
  (read: SqlReader): Store['hostClaims'] =>
  async (selector) => {
    const all = 'SELECT * FROM host_claim'
    const order = 'ORDER BY name, claimed_at, tag'
    if (selector === 'all') return read.all(`${all} ${order}`).map(readClaim)
    const [column, value] = 'host' in selector ? ['name', selector.host] : ['tag', selector.tagId]
    return read.all(`${all} WHERE ${column} = ? ${order}`, value!).map(readClaim)
  }
