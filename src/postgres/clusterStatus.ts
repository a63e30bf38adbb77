import type { Database } from './database.ts'

/** What the database tells of its processes and standbys. */
export type ClusterStatus = {
  /** The standbys that receive the log now, and those of them that confirm commits. */
  streaming: number
  confirming: number
  /** How long the slowest standby that confirms commits takes to store what it receives (s). */
  replicationSeconds: number
  /** The live processes, by role. */
  processes: Readonly<Record<string, number>>
  slotsWithoutOwner: number
  /** The changes of the feed that the slowest live process has not applied. */
  changesBehind: number
}

const selectStandbys = `
  SELECT count(*) FILTER (WHERE state = 'streaming')::int AS streaming,
    count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum'))::int AS confirming,
    coalesce(max(extract(epoch FROM flush_lag)) FILTER (WHERE sync_state IN ('sync', 'quorum')), 0)::float8 AS lag
  FROM pg_stat_replication`
const isLive = 'until_ms >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const selectProcesses = `SELECT role, count(*)::int AS count FROM member WHERE ${isLive} GROUP BY role`
const selectSlots = `
  SELECT count(*)::int AS free FROM slot
  WHERE owner IS NULL OR NOT EXISTS (SELECT 1 FROM member WHERE member.id = slot.owner AND ${isLive})`
const selectBehind = `
  SELECT coalesce((SELECT max(seq) FROM change) - (SELECT min(seen) FROM member WHERE ${isLive}), 0) AS behind`

export async function readClusterStatus({ sql }: Pick<Database, 'sql'>): Promise<ClusterStatus> {
  const [standbys] = await sql<{ streaming: number; confirming: number; lag: number }>(selectStandbys)
  const processes = await sql<{ role: string; count: number }>(selectProcesses)
  const [slots] = await sql<{ free: number }>(selectSlots)
  const [feed] = await sql<{ behind: number }>(selectBehind)
  return {
    streaming: standbys!.streaming,
    confirming: standbys!.confirming,
    replicationSeconds: standbys!.lag,
    processes: Object.fromEntries(processes.map(({ role, count }) => [role, count])),
    slotsWithoutOwner: slots!.free,
    changesBehind: Math.max(0, feed!.behind),
  }
}
