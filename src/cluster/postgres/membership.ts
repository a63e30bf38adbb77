import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import type { Database } from '#postgres/database.ts'
import type { ClusterMembers, ProcessRole } from '../cluster.ts'

/**
 * The lease of a member, and how often it is renewed. A process judges another member dead if it has seen no renewal
 * for this time, by its own monotonic clock: the database clock may jump, and the next primary has another clock.
 */
const leaseMs = 4_000
const renewMs = 800
/** After this time without a renewal, no call is started (monotonic). */
export const startNoCallMs = 3_200
/** After a longer gap without an answer, no member is expired: the others may have had no answer either. */
const steadyMs = 2_000
/**
 * The pause before the next attempt to delete a dead member that was not deleted: another process is deleting it, or
 * one of its transactions has not ended.
 */
const retryMs = 200
/** No process writes a lease that ends later than this from now, even if the database clock was set back a little. */
const longestLeaseMs = 10 * leaseMs
/** How long after the end of a lease the member is checked. */
const afterEndMs = 10

/** The time of the database (epoch ms). */
export const databaseNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** SQL: true if a lease has ended, or ends later than any that a process writes. */
export const isOver = (untilMs: string) =>
  `(${untilMs} < ${databaseNow} OR ${untilMs} > ${databaseNow} + ${longestLeaseMs})`

type MembershipDeps = {
  database: Database
  role: ProcessRole
  version: string
  log: Log
  /** A clock that is never set (ms). */
  monotonicMs(): number
}

/** The row of this process in the table of members. */
export type ProcessMembership = ClusterMembers & {
  /** The id of the current row. After a lost lease, the next row gets another id. */
  id(): string
  /** Adds the row. `seen`: the last change that this process has applied. */
  join(seen: number): Promise<void>
  /**
   * Renews the lease and counts the members, in one statement, then deletes those whose lease has ended. Resolves with the
   * number of the last change; undefined if the lease is lost.
   */
  renew(seen: number): Promise<number | undefined>
  /** When to renew next (ms from now): earlier if the lease of another member ends sooner. */
  renewInMs(): number
  leave(): Promise<void>
}

/** `version`: changes with each renewal. */
type MemberRow = { id: string; role: ProcessRole; version: string }
type RenewalRow = MemberRow & { renewed: boolean; changed: number }

const insertMember = `INSERT INTO member VALUES ($1, $2, $3, ${databaseNow} + ${leaseMs}, $4)`
// These rows are older than the renewal.
const renewAndList = `
  WITH renewed AS (
    UPDATE member SET until_ms = ${databaseNow} + ${leaseMs}, applied_change = greatest(applied_change, $2) WHERE id = $1 RETURNING id
  )
  SELECT id, role, xmin::text AS version, EXISTS (SELECT 1 FROM renewed) AS renewed,
    (SELECT coalesce(max(seq), 0) FROM change) AS changed
  FROM member`

/**
 * Deletes members that have not renewed since, and frees their slots and leases. Skips members whose transactions have
 * not ended.
 */
async function deleteMembers(
  members: readonly MemberRow[],
  { database, log }: Pick<MembershipDeps, 'database' | 'log'>,
): Promise<string[]> {
  const deleted = await database.transaction(async (sql) => {
    const rows = await sql<{ id: string }>(
      `DELETE FROM member WHERE id IN
         (SELECT member.id FROM unnest($1::text[], $2::text[]) AS dead (id, version)
          JOIN member ON member.id = dead.id AND member.xmin::text = dead.version
          ORDER BY member.id FOR UPDATE OF member SKIP LOCKED)
       RETURNING id`,
      [members.map(({ id }) => id), members.map(({ version }) => version)],
    )
    const gone = rows.map((row) => row.id)
    await sql('UPDATE slot SET owner = NULL WHERE owner = ANY($1)', [gone])
    await sql('DELETE FROM lease WHERE owner = ANY($1)', [gone])
    return gone
  })
  if (deleted.length > 0) log({ level: 'warn', message: 'removed processes with an expired lease', ids: deleted })
  return deleted
}

/** `since`: when this renewal was first seen. */
type SeenMember = MemberRow & { since: number }

function watchMembers(monotonicMs: () => number) {
  let all: readonly SeenMember[] = []
  /** The remaining time of a lease (ms). The lease ends no later, because its renewal was stored before it was seen. */
  const endsInMs = ({ since }: SeenMember) => leaseMs - (monotonicMs() - since)
  return {
    see(rows: readonly MemberRow[]): void {
      const now = monotonicMs()
      const before = new Map(all.map((each) => [each.id, each]))
      all = rows.map((row) => {
        const known = before.get(row.id)
        return { ...row, since: known?.version === row.version ? known.since : now }
      })
    },
    live: () => all.filter((each) => endsInMs(each) > 0),
    dead: () => all.filter((each) => endsInMs(each) <= 0),
    /** When the next lease ends (ms from now). */
    nextEndMs: () => all.map(endsInMs).reduce((next, ms) => (ms > 0 ? Math.min(next, ms) : next), leaseMs),
  }
}

export function openMembership({ database, role, version, log, monotonicMs }: MembershipDeps): ProcessMembership {
  let id = ''
  let renewedAt = Number.NEGATIVE_INFINITY
  /** Since this time, the lease has been renewed without a gap. */
  let steadySince = Number.NEGATIVE_INFINITY
  const others = watchMembers(monotonicMs)
  let mayBeDead = false

  function renewed(at: number): void {
    if (Number.isFinite(renewedAt) && at - renewedAt > steadyMs) steadySince = at
    renewedAt = at
  }
  /**
   * False until one lease time after a gap: while the database was away, the leases of all members ended, and each member
   * needs time to renew.
   */
  const mayDelete = () => monotonicMs() - steadySince > leaseMs

  async function remove(): Promise<void> {
    const dead = others.dead()
    mayBeDead = dead.length > 0 && mayDelete()
    if (!mayBeDead) return
    const deleted = await deleteMembers(dead, { database, log })
    mayBeDead = deleted.length < dead.length
  }
  async function renew(seen: number): Promise<number | undefined> {
    const at = monotonicMs()
    const rows = await database.sql<RenewalRow>(renewAndList, [id, seen])
    if (!rows[0]?.renewed) return undefined
    renewed(at)
    others.see(rows.filter((row) => row.id !== id))
    await remove()
    return rows[0].changed
  }
  const isOf = (wanted: ProcessRole) => (has: ProcessRole) => has === wanted || has === 'all'
  return {
    id: () => id,
    silentMs: () => monotonicMs() - renewedAt,
    count: (wanted) => Math.max(1, [role, ...others.live().map((each) => each.role)].filter(isOf(wanted)).length),
    async join(seen) {
      const joined = newId('mem', Date.now())
      await database.sql(insertMember, [joined, role, version, seen])
      id = joined
      await renew(seen)
    },
    renew,
    renewInMs: () => (mayBeDead ? retryMs : Math.min(renewMs, others.nextEndMs() + afterEndMs)),
    async leave() {
      await database.sql('DELETE FROM member WHERE id = $1', [id])
    },
  }
}
