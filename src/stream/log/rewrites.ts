import { keyedMutex } from '#kit/keyedMutex.ts'
import type { LogPlace, SegmentLog } from '#log/log.ts'
import type { StoredBodies } from './bodies.ts'
import { encodeBody } from './bodyRecords.ts'
import type { RecentBodies } from './recentBodies.ts'

type RewritesDeps = { log: SegmentLog; recent: RecentBodies; bodies: StoredBodies }

/**
 * Replaces bodies. The new copy is on disk before the old one is overwritten. The next start repeats an erasure that a
 * crash interrupted.
 */
export function openRewrites({ log, recent, bodies }: RewritesDeps) {
  const withLock = keyedMutex()
  let rewritten = 0
  /** Replaced copies that are still to be erased. A failed erasure is repeated before the next one. */
  let replaced: LogPlace[] = []

  async function eraseReplaced(): Promise<void> {
    if (replaced.length > 0) await log.erase(replaced)
    replaced = []
  }
  /** Appends bodies again, in one group, and erases their earlier copies. Resolves to their number. */
  async function replace(positions: readonly number[], change: (payload: Uint8Array) => Uint8Array): Promise<number> {
    const moved = []
    for (const position of positions) {
      const body = bodies.find(position)
      const record = body && (await bodies.readRecord(body))
      if (record) moved.push({ ...record, payload: change(record.payload), movedFrom: body.place })
    }
    const places = moved.length > 0 ? await log.append(moved.map(encodeBody)) : []
    for (const [n, { keys, payload, movedFrom, ...body }] of moved.entries()) {
      recent.add({ ...body, place: places[n]! })
      replaced.push(movedFrom)
    }
    await eraseReplaced()
    return moved.length
  }
  return {
    rewrite: (position: number, change: (payload: Uint8Array) => Uint8Array) =>
      withLock('rewrite', async () => {
        rewritten += await replace([position], change)
      }),
    rewritten: () => rewritten,
    /** Appends these bodies again, unchanged, so that their segments can be deleted. */
    copy: (positions: readonly number[]) =>
      withLock('rewrite', async () => {
        await replace(positions, (payload) => payload)
      }),
    /** Runs work at a moment when no earlier copy remains to be erased. Rejects if one cannot be erased. */
    betweenErasures: <Result>(work: () => Result) =>
      withLock('rewrite', async () => {
        await eraseReplaced()
        return work()
      }),
  }
}
