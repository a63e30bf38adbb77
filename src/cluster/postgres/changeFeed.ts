import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '#kit/log.ts'
import type { Database } from '#postgres/database.ts'
import type { ChangeFeed, ClusterChange } from '../cluster.ts'
import { databaseNow, isOver, type ProcessMembership } from './membership.ts'

const rowsPerPoll = 1_000
/** The first and the longest pause between two polls for acknowledgements. */
const firstPauseMs = 5
const longestPauseMs = 100
const acknowledgeMs = 3_000
/** The pause between two reads, because anyone who may connect to the database can send any number of notices. */
const restMs = 10
/** Rows of the feed are dropped after this time. A process that was disconnected for longer must be restarted. */
const keptMs = 30 * 86_400_000

export type PostgresChangeFeed = ChangeFeed & {
  /** The last change that this process has applied. */
  seen(): number
  /** Applies new changes. */
  poll(): Promise<void>
  /** Drops rows that every process has applied long ago. */
  dropOld(): Promise<void>
  close(): Promise<void>
}

/** Resolves when all live members except this one have applied the change, or after 3 s. */
export async function waitForAcknowledgement(database: Pick<Database, 'sql'>, seq: number, except = ''): Promise<void> {
  const end = performance.now() + acknowledgeMs
  for (let pauseMs = firstPauseMs; performance.now() < end; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const behind = await database.sql(
      `SELECT 1 FROM member WHERE NOT ${isOver('until_ms')} AND applied_change < $1 AND id <> $2 LIMIT 1`,
      [seq, except],
    )
    if (behind.length === 0) return
    await wait(pauseMs)
  }
}

type FeedDeps = { database: Database; membership: Pick<ProcessMembership, 'id'>; log: Log }

/** Runs a task again if it is requested while it runs. A failure is logged, and the task waits for the next request. */
function runAgain(task: () => Promise<void>, log: Log) {
  let running: Promise<void> | undefined
  let isAsked = false
  async function runAll(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await task().catch((error) => {
        log({ level: 'error', message: 'could not apply the changes of other processes', error })
      })
      if (isAsked) await wait(restMs)
    }
    running = undefined
  }
  return {
    run(): Promise<void> {
      isAsked = true
      running ??= runAll()
      return running
    },
    ended: async () => running,
  }
}

/** Begins after the last change that exists now: later reads of the store include all earlier changes. */
export async function openChangeFeed({ database, membership, log }: FeedDeps): Promise<PostgresChangeFeed> {
  const [last] = await database.sql<{ seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM change')
  let seen = last!.seq
  let apply: ((change: ClusterChange) => Promise<void>) | undefined

  async function applyNext(): Promise<boolean> {
    const rows = await database.sql<ClusterChange>(
      `SELECT seq, kind, id FROM change WHERE seq > $1 ORDER BY seq LIMIT ${rowsPerPoll}`,
      [seen],
    )
    try {
      for (const row of rows) {
        await apply!(row)
        seen = row.seq
      }
    } finally {
      if (rows.length > 0)
        await database.sql('UPDATE member SET applied_change = $2 WHERE id = $1', [membership.id(), seen])
    }
    return rows.length === rowsPerPoll
  }
  const polls = runAgain(async () => {
    if (apply) while (await applyNext());
  }, log)
  const wake = () => void polls.run()
  const listener = database.listen('change', { notified: wake, connected: wake })
  return {
    seen: () => seen,
    poll: polls.run,
    follow(next) {
      apply = next
      wake()
    },
    // A process that does not follow yet serves nothing: it would wait for itself.
    acknowledged: (seq) => waitForAcknowledgement(database, seq, apply ? '' : membership.id()),
    async dropOld() {
      await database.sql(
        `DELETE FROM change WHERE at_ms < ${databaseNow} - ${keptMs} AND seq < (SELECT max(seq) FROM change)`,
      )
    },
    async close() {
      await listener.close()
      await polls.ended()
    },
  }
}
