import type { Unit } from '#kit/units.ts'
import type { Change, Store } from '#store/store.ts'
import type { HostClaim } from '#tag/hostClaim.ts'
import type { Read, Row } from './read.ts'
import { refOf } from './refs.ts'
import { orNull, present } from './rows.ts'

/** A secret knows its script alone, and a script may be gone while a deployment still has it. */
const scriptsOfTag = `
  SELECT id FROM script WHERE tag = ?1 UNION
  SELECT each.value ->> 'scriptId' FROM deployment, json_each(deployment.snapshot, '$.scripts') AS each WHERE tag = ?1`

/** Rows that hang on others go first. */
const ofTag = [
  `DELETE FROM secret_version WHERE script IN (${scriptsOfTag})`,
  'DELETE FROM script WHERE tag = ?',
  'DELETE FROM deployment WHERE tag = ?',
  'DELETE FROM host_claim WHERE tag = ?',
  `DELETE FROM email_user WHERE tag = ${refOf}`,
  `DELETE FROM custom WHERE tag = ${refOf}`,
  `DELETE FROM user WHERE tag = ${refOf}`,
  'DELETE FROM tag WHERE id = ?',
]

export const dropTag = ({ tagId }: Extract<Change, { drop: 'tag' }>): Unit =>
  ofTag.map((sql) => ({ sql, rows: [[tagId]] }))

export const putHosts = ({ tagId, hosts, at }: Extract<Change, { put: 'hosts' }>): Unit => [
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

export const putHostClaim = ({ row }: Extract<Change, { put: 'hostClaim' }>): Unit => [
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

const readClaim = (row: Row): HostClaim =>
  present<HostClaim>({
    tagId: row.tag,
    host: row.name,
    claimedAt: row.claimed_at,
    provedSince: row.proved_since,
    provedAt: row.proved_at,
    checkedAt: row.checked_at,
    isMissing: row.is_missing === 1 ? true : null,
  })

export const hostClaimsOf =
  (read: Read): Store['hostClaims'] =>
  async (of) => {
    const all = 'SELECT * FROM host_claim'
    const order = 'ORDER BY name, claimed_at, tag'
    if (of === 'all') return read.all(`${all} ${order}`).map(readClaim)
    const [column, value] = 'host' in of ? ['name', of.host] : ['tag', of.tagId]
    return read.all(`${all} WHERE ${column} = ? ${order}`, value!).map(readClaim)
  }
