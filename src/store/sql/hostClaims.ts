import type { Store } from '#store/store.ts'
import type { SqlReads } from './sql.ts'
import { hostClaim } from './tables.ts'

export const hostClaimsOf =
  (reads: SqlReads): Store['hostClaims'] =>
  async (selector) => {
    const all = 'SELECT * FROM host_claim'
    const order = 'ORDER BY name, claimed_at, tag'
    if (selector === 'all') return (await reads.all(`${all} ${order}`)).map(hostClaim.read)
    const [column, value] = 'host' in selector ? ['name', selector.host] : ['tag', selector.tagId]
    return (await reads.all(`${all} WHERE ${column} = ? ${order}`, value!)).map(hostClaim.read)
  }
