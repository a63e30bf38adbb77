import { createBatcher, type PendingItem } from '#kit/batcher.ts'
import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { openReader } from '#kit/sqlite.ts'
import { startThread } from '#kit/thread.ts'
import { unpackPlace } from '#stream/dedup/dailyKeys.ts'
import type { Stream, StreamEntry } from '#stream/stream.ts'
import { type EntryBuffer, entryWeight, packEntries, readNewFlags, reusableBuffer } from './entryBuffer.ts'
import type { StreamCommand, StreamCommandResult } from './groupCommit.ts'
import { bodyReaders, openLeases } from './leases.ts'
import { waitingCount } from './streamState.ts'
import { trimStream } from './trimStream.ts'

type StreamWrite = { entry: StreamEntry } | { settled: readonly number[] }
type StreamWriteGroup = readonly PendingItem<StreamWrite, readonly boolean[]>[]

const eventsPerBody = 500
const groupBytes = 16 * 1024 * 1024

const weigh = (unit: StreamWrite) => ('entry' in unit ? entryWeight(unit.entry) : unit.settled.length * 8)

/** Sends a group to the thread, and resolves its items with the results. */
function groupWriter(execute: (command: StreamCommand) => Promise<StreamCommandResult>, clock: Clock) {
  let spare: EntryBuffer | undefined
  return async (group: StreamWriteGroup) => {
    const entries = group.flatMap(({ unit }) => ('entry' in unit ? [unit.entry] : []))
    const settled = group.flatMap(({ unit }) => ('settled' in unit ? unit.settled : []))
    const packed = packEntries(entries, spare)
    spare = undefined
    const result = await execute({ nowMs: clock.now(), entries: packed, settled })
    const isNew = readNewFlags(result.entries!, entries)
    spare = reusableBuffer(result.entries!)
    let next = 0
    for (const { unit, resolve } of group) resolve('entry' in unit ? isNew[next++]! : [])
  }
}

/** Throws a RangeError for too many events, or if the numbers of keys and other keys differ. */
function checkEntry({ keys, others }: StreamEntry): void {
  if (keys.length > eventsPerBody)
    throw new RangeError(`a body has at most ${eventsPerBody} events, not ${keys.length}`)
  if (others && others.length !== keys.length)
    throw new RangeError(`an entry needs one other key for each of its ${keys.length} keys, not ${others.length}`)
}

/** Opens the embedded stream in a SQLite file. Throws an Error that names the file if it cannot be used. */
export async function openSqliteStream(path: string, clock: Clock): Promise<Stream> {
  const program = new URL('./stream.thread.ts', import.meta.url)
  const thread = await startThread<StreamCommand, StreamCommandResult>(program, path, 'endProcess')
  const db = openReader(path)
  const bodies = bodyReaders(db)
  const leases = openLeases(db)
  let closed = false
  let rewritten = 0
  const withLock = keyedMutex()

  const execute = async (message: StreamCommand) => {
    const result = await thread.ask(message, 'entries' in message ? [message.entries] : [])
    leases.update(result.state)
    return result
  }
  const batcher = createBatcher(groupWriter(execute, clock), { limit: groupBytes, weigh })

  return {
    async append(entry) {
      checkEntry(entry)
      return batcher.add({ entry })
    },
    lease: leases.lease,
    async settle(positions) {
      if (positions.length > 0) await batcher.add({ settled: positions })
    },
    read: async (position) => bodies.any(position),
    async find(key) {
      const { place } = await execute({ nowMs: clock.now(), find: BigInt.asIntN(64, key) })
      return place === undefined ? undefined : unpackPlace(place)
    },
    rewrite: (position, change) =>
      withLock('rewrite', async () => {
        const body = bodies.any(position)
        if (!body) return
        await execute({ nowMs: clock.now(), rewrite: position, payload: change(body.payload) })
        rewritten++
      }),
    rewritten: () => rewritten,
    waiting: async () => waitingCount(leases.state()),
    async trim(beforeMs, spare) {
      const dropBeforeMs = spare?.lastMs ?? beforeMs
      while (!closed && (await execute({ nowMs: clock.now(), dropBeforeMs })).more);
      const drop = async (positions: readonly number[]) => {
        if (!closed && positions.length > 0) await execute({ nowMs: clock.now(), drop: positions })
        return !closed
      }
      if (spare) await trimStream(db, beforeMs, spare, drop)
    },
    async close() {
      closed = true
      leases.close()
      await batcher.close()
      // The thread's connection is closed last: SQLite then checkpoints the WAL into the file and deletes it.
      if (db.isOpen) db.close()
      await thread.close()
    },
  }
}
