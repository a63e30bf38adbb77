import type { Database } from './database.ts'

/** The standbys, as the primary sees them. */
export type StandbyStatus = {
  /** The number of standbys that receive the log, and of those that also confirm commits. */
  streaming: number
  confirming: number
  /** How long the slowest confirming standby takes to store what it receives (s). */
  replicationSeconds: number
}

/** The processes that share a schema. */
export type ProcessStatus = {
  /** The number of live processes, by role. */
  processes: Readonly<Record<string, number>>
  slotsWithoutOwner: number
  /** The number of changes of the feed that the slowest live process has not applied. */
  changesBehind: number
}

const selectStandbys = `
  SELECT count(*) FILTER (WHERE state = 'streaming')::int AS streaming,
    count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum'))::int AS confirming,
    coalesce(max(extract(epoch FROM flush_lag)) FILTER (WHERE sync_state IN ('sync', 'quorum')), 0)::float8 AS lag
  FROM pg_stat_replication`
const isLive = 'until_ms >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint'
const selectProcesses = `
  SELECT (SELECT json_object_agg(role, count) FROM (SELECT role, count(*) FROM member WHERE ${isLive} GROUP BY role) AS r) AS processes,
    (SELECT count(*)::int FROM slot WHERE owner IS NULL
       OR NOT EXISTS (SELECT 1 FROM member WHERE member.id = slot.owner AND ${isLive})) AS free,
    coalesce((SELECT max(seq) FROM change) - (SELECT min(applied_change) FROM member WHERE ${isLive}), 0) AS behind`

export async function readStandbys({ sql }: Pick<Database, 'sql'>): Promise<StandbyStatus> {
  const [row] = await sql<{ streaming: number; confirming: number; lag: number }>(selectStandbys)
  return { streaming: row!.streaming, confirming: row!.confirming, replicationSeconds: row!.lag }
}

export async function readProcesses({ sql }: Pick<Database, 'sql'>): Promise<ProcessStatus> {
  const [row] = await sql<{ processes: Record<string, number> | null; free: number; behind: number }>(selectProcesses)
  return {
    processes: row!.processes ?? {},
    slotsWithoutOwner: row!.free,
    changesBehind: Math.max(0, row!.behind),
  }
}
