import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '../../src/postgres/database.ts'

/** Rows that are written to a cluster under load, and those that it has acknowledged. */
export type RowSender = {
  /** Every row that was sent, by its key. */
  sent: ReadonlySet<string>
  /** Every row whose commit was acknowledged. */
  acknowledged: ReadonlySet<string>
  /** The number of failed commits, by error name. */
  failed: ReadonlyMap<string, number>
  /** The longest time without an acknowledgement since the last call (ms). */
  longestGapMs(): number
  stop(): Promise<void>
}

const writers = 2
const rowsOfBatch = 10
const pauseMs = 40
/** Creates the table that rows are written to. */
export const createRows = 'CREATE TABLE public.row_sent (key text PRIMARY KEY, at timestamptz DEFAULT now())'

/**
 * Writes batches of rows, each in its own transaction, on two connections. A batch whose commit is not acknowledged is
 * written again with the same keys, as Aglet's callers do.
 */
export function startRowSender(url: string, name: string): RowSender {
  const database = openDatabase({ url, schema: 'public', connections: writers, timeoutMs: 5_000 })
  const sent = new Set<string>()
  const acknowledged = new Set<string>()
  const failed = new Map<string, number>()
  let isStopping = false
  let lastAt = performance.now()
  let gapMs = 0

  async function write(keys: readonly string[]): Promise<boolean> {
    const text = 'INSERT INTO row_sent (key) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING'
    try {
      await database.transaction((sql) => sql(text, [keys]))
      return true
    } catch (error) {
      const called = (error as Error).name
      failed.set(called, (failed.get(called) ?? 0) + 1)
      return false
    }
  }
  async function writeMany(writer: number): Promise<void> {
    for (let batch = 0; !isStopping; batch++) {
      const keys = Array.from({ length: rowsOfBatch }, (_, n) => `${name}-${writer}-${batch}-${n}`)
      for (const key of keys) sent.add(key)
      while (!(await write(keys))) {
        if (isStopping) return
        await setTimeout(pauseMs)
      }
      for (const key of keys) acknowledged.add(key)
      gapMs = Math.max(gapMs, performance.now() - lastAt)
      lastAt = performance.now()
      await setTimeout(pauseMs)
    }
  }
  let stopped: Promise<void> | undefined
  async function stop(): Promise<void> {
    isStopping = true
    await Promise.all(writing)
    await database.close()
  }
  const writing = Array.from({ length: writers }, (_, writer) => writeMany(writer))
  return {
    sent,
    acknowledged,
    failed,
    longestGapMs() {
      const longest = Math.max(gapMs, performance.now() - lastAt)
      gapMs = 0
      return longest
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}
