import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#kit/clock.ts'
import { processLog } from '#kit/log.ts'
import { programUrl } from '#kit/ownFiles.ts'
import { type RestingThread, startRestingThread } from '#kit/restingThread.ts'
import { openReader } from '#kit/sqlite.ts'
import { type Disk, openDisk } from '#log/disk.ts'
import type { LogPlace, SegmentLog } from '#log/log.ts'
import { logFolderOf } from '#log/logFolder.ts'
import { openLog } from '#log/openLog.ts'
import { dayOf } from '#stream/days.ts'
import { packPlace, unpackPlace } from '#stream/dedup/keyPlaces.ts'
import { openSegments } from '#stream/dedup/segments.ts'
import type { Stream } from '#stream/stream.ts'
import { Appends } from './appends.ts'
import { openBodies } from './bodies.ts'
import { openCheckpoints } from './checkpoints.ts'
import { type KeyIndex, openKeyIndex } from './keyIndex.ts'
import { openLeases } from './leases.ts'
import { readStreamState, type StreamState } from './readState.ts'
import { openRecentBodies, type RecentBodies } from './recentBodies.ts'
import { openRewrites } from './rewrites.ts'
import type { IndexCommand, IndexReply } from './streamIndex.ts'
import { trimLog } from './trimLog.ts'

type Parts = {
  log: SegmentLog
  db: DatabaseSync
  index: RestingThread<IndexCommand, IndexReply>
  keys: KeyIndex
  recent: RecentBodies
  state: StreamState
}

/** Opens the index, and reads the log behind it into memory. Finishes erasures that a crash interrupted. */
async function openParts(path: string, clock: Clock, disk: Disk): Promise<Parts> {
  const program = programUrl('stream/log/streamIndex.thread.ts')
  const index = await startRestingThread<IndexCommand, IndexReply>(program, path, {
    mayRest: ({ segments }) => segments.length === 0, // with segments, it holds their filters and a merge
  })
  const db = openReader(path)
  const keys = openKeyIndex(openSegments(db))
  const recent = openRecentBodies()
  const today = dayOf(clock.now())
  const { segments } = await index.ask({ day: today, read: true })
  keys.setDay(today)
  keys.setSegments(segments, 0)
  const replaced: LogPlace[] = []
  const state = readStreamState(db, disk, ({ keys: taken, movedFrom, payload, ...body }, place) => {
    for (const [n, index] of body.newIndexes.entries()) {
      const key = taken[n]!
      if (keys.find(key) === undefined) keys.add(key, packPlace(body.position, index), dayOf(body.appendedAt))
    }
    if (movedFrom) replaced.push(movedFrom)
    recent.add({ ...body, place })
  })
  const log = openLog({ disk, now: clock.now })
  for (const range of state.corrupt)
    processLog({ level: 'error', message: 'a part of the stream cannot be read', path: logFolderOf(path), ...range })
  await log.erase(replaced)
  return { log, db, index, keys, recent, state }
}

/** Connects the parts of an open stream. */
function connectParts(parts: Parts, clock: Clock) {
  const { state } = parts
  const bodies = openBodies(parts)
  const rewrites = openRewrites({ ...parts, bodies })
  const appended = () => appends.appended()
  const checkpoints = openCheckpoints({ ...parts, ...rewrites, clock, appended })
  const leases = openLeases(state.settled.cursor(), {
    ...bodies,
    isSettled: state.settled.has,
    lastAtStart: state.last,
    settle: (positions) => appends.settle(positions),
  })
  const noteStored = (bytes: number) => {
    checkpoints.noteAppended(bytes)
    leases.notify()
  }
  const appends = new Appends({ ...parts, clock, noteStored, lag: checkpoints.lag })
  return { bodies, rewrites, checkpoints, leases, appends }
}

/** `lastPosition`: the last assigned position. */
export type LogStream = Stream & { lastPosition(): number }

/** Opens the embedded stream: an index in a SQLite file, and its log beside it. Throws an Error that names the file. */
export async function openLogStream(
  path: string,
  clock: Clock,
  disk: Disk = openDisk(logFolderOf(path)),
): Promise<LogStream> {
  const parts = await openParts(path, clock, disk)
  const { log, db, index, keys, state } = parts
  const { bodies, rewrites, checkpoints, leases, appends } = connectParts(parts, clock)
  const { rewrite, rewritten, copy } = rewrites
  let closed = false

  return {
    async append(entry) {
      if (closed) throw new Error('the stream is closed')
      return appends.append(entry)
    },
    lease: leases.lease,
    settle: async (positions) => appends.settle(positions),
    read: bodies.read,
    async find(key) {
      keys.setDay(dayOf(clock.now()))
      const place = keys.find(key)
      return place === undefined ? undefined : unpackPlace(place)
    },
    rewrite,
    rewritten,
    lastPosition: () => state.last,
    waiting: async () => state.last - state.settled.count(),
    async trim(beforeMs, guard) {
      await appends.flushSettled()
      await trimLog({ ...parts, ...checkpoints, clock, copy, isClosed: () => closed }, beforeMs, guard)
    },
    async close() {
      closed = true
      leases.close()
      await appends.close()
      // With this checkpoint, the next start reads no log. If it fails, the next start reads the log.
      await checkpoints.checkpoint().catch(() => {})
      await log.close()
      // The thread's connection is closed last: SQLite then checkpoints the WAL into the file and deletes it.
      if (db.isOpen) db.close()
      await index.close()
    },
  }
}
