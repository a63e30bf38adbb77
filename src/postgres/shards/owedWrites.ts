import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { ShardedWrites } from './shardedWrites.ts'

const everyMs = 5_000

type OwedWritesDeps = Pick<ShardedWrites, 'writeOwed'> & {
  clock: Pick<Clock, 'wait'>
  /** False while another process holds the lease. */
  leases: { holds(name: string): Promise<boolean> }
  log: Log
}

/** Writes in one of all processes what shards that were away are to write, until the signal. */
export async function keepWritingOwed(
  { writeOwed, clock, leases, log }: OwedWritesDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.wait(everyMs, signal)
    try {
      if (!signal.aborted && (await leases.holds('owedWrites'))) await writeOwed()
    } catch (error) {
      log({ level: 'error', message: 'could not replay pending writes of the event shards', error })
    }
  }
}
