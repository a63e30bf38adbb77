import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import type { Database } from '#postgres/database.ts'
import type { ClusterMembers, ProcessRole } from '../cluster.ts'

/** The lease of a member, by the time of the database. It is renewed each second. */
export const leaseMs = 5_000
export const renewMs = 1_000
/** After this time without a renewal no call is started (monotonic). */
export const startNoCallMs = 4_000

/** The time of the database (epoch ms). */
export const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export type MembershipDeps = {
  database: Database
  role: ProcessRole
  version: string
  log: Log
  /** A clock that is never set (ms). */
  monotonicMs(): number
}

/** The row of this process in the table of members. */
export type ProcessMembership = ClusterMembers & {
  /** The id of the present row. A lost lease is followed by another id. */
  id(): string
  /** Adds the row. `seen`: the last change that this process has applied. */
  join(seen: number): Promise<void>
  /** Renews the lease; false if it is lost. Counts the members, and deletes those whose lease has ended. */
  renew(): Promise<boolean>
  leave(): Promise<void>
}

type MemberRow = { id: string; role: ProcessRole; dead: boolean }

/** Removes members whose lease has ended, and frees what they held. Waits for their transactions. */
async function deleteMembers(
  ids: readonly string[],
  { database, log }: Pick<MembershipDeps, 'database' | 'log'>,
): Promise<void> {
  const deleted = await database.transaction(async (sql) => {
    const rows = await sql<{ id: string }>(
      `DELETE FROM member WHERE id IN
         (SELECT id FROM member WHERE id = ANY($1) AND until_ms < ${databaseNow} ORDER BY id FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      [ids],
    )
    const gone = rows.map((row) => row.id)
    await sql('UPDATE slot SET owner = NULL WHERE owner = ANY($1)', [gone])
    await sql('DELETE FROM lease WHERE owner = ANY($1)', [gone])
    return gone
  })
  if (deleted.length > 0) log({ level: 'warn', message: 'processes whose lease had ended were removed', ids: deleted })
}

export function openMembership({ database, role, version, log, monotonicMs }: MembershipDeps): ProcessMembership {
  let id = ''
  let renewedAt = Number.NEGATIVE_INFINITY
  /** Since then the lease has been renewed in time. */
  let steadySince = Number.NEGATIVE_INFINITY
  let live: MemberRow[] = []

  function renewed(at: number): void {
    if (Number.isFinite(renewedAt) && at - renewedAt > 2 * renewMs) steadySince = at
    renewedAt = at
  }
  /**
   * After a time without a database the leases of all members have ended, and each needs a moment to renew its own.
   */
  const mayDelete = () => monotonicMs() - steadySince > leaseMs

  async function look(): Promise<void> {
    const rows = await database.sql<MemberRow>(`SELECT id, role, until_ms < ${databaseNow} AS dead FROM member`)
    live = rows.filter(({ dead }) => !dead)
    const dead = rows.filter((row) => row.dead && row.id !== id).map((row) => row.id)
    if (dead.length > 0 && mayDelete()) await deleteMembers(dead, { database, log })
  }
  return {
    id: () => id,
    silentMs: () => monotonicMs() - renewedAt,
    count: (wanted) => Math.max(1, live.filter((row) => row.role === wanted || row.role === 'all').length),
    async join(seen) {
      const at = monotonicMs()
      const joined = newId('mem', Date.now())
      await database.sql(`INSERT INTO member VALUES ($1, $2, $3, ${databaseNow} + ${leaseMs}, $4)`, [
        joined,
        role,
        version,
        seen,
      ])
      id = joined
      renewed(at)
      await look()
    },
    async renew() {
      const at = monotonicMs()
      const rows = await database.sql(
        `UPDATE member SET until_ms = ${databaseNow} + ${leaseMs} WHERE id = $1 RETURNING id`,
        [id],
      )
      if (rows.length === 0) return false
      renewed(at)
      await look()
      return true
    },
    async leave() {
      await database.sql('DELETE FROM member WHERE id = $1', [id])
    },
  }
}
