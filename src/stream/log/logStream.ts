import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { processLog } from '#kit/log.ts'
import { openReader } from '#kit/sqlite.ts'
import { startThread } from '#kit/thread.ts'
import { openDisk } from '#log/disk.ts'
import type { LogPlace } from '#log/log.ts'
import { openLog } from '#log/openLog.ts'
import { dayOf } from '#stream/days.ts'
import { packPlace, unpackPlace } from '#stream/dedup/keyPlaces.ts'
import { openSegments } from '#stream/dedup/segments.ts'
import type { LeasedRecord, Stream } from '#stream/stream.ts'
import { Appends } from './appends.ts'
import { setIndexes, toBitset } from './bitset.ts'
import { type BodyRecord, decodeBody, encodeBody } from './bodyRecords.ts'
import { openKeyIndex } from './keyIndex.ts'
import { openLeases } from './leases.ts'
import { readStreamState } from './readState.ts'
import { openRecentBodies, type RecentBody } from './recentBodies.ts'
import type { IndexCommand, IndexReply } from './streamIndex.ts'
import type { StreamParts } from './streamParts.ts'
import { trimLog } from './trimLog.ts'

/** The folder of the log of a stream: `stream.log` beside `stream.db`. */
export const logFolderOf = (path: string): string => `${path.replace(/\.db$/, '')}.log`

/** A restart reads the log behind the last checkpoint. */
const bytesPerCheckpoint = 64 * 1024 * 1024
const selectPlace = 'SELECT tag, appended_at, fresh, segment, offset, length FROM body WHERE position = ?'
const selectAfter =
  'SELECT position, tag, fresh FROM body WHERE position > ? AND position <= ? ORDER BY position LIMIT ?'

/** Finds bodies: the newest in memory, the others by the index. */
function openBodies({ log, db, recent, state }: StreamParts) {
  const place = db.prepare(selectPlace)
  const after = db.prepare(selectAfter)
  function find(position: number): RecentBody | undefined {
    const known = recent.get(position)
    if (known) return known
    const row = place.get(position) as Record<string, number> & { tag: string; fresh: Uint8Array }
    if (!row) return undefined
    const { segment, offset, length } = row as unknown as LogPlace
    const newIndexes = setIndexes(row.fresh)
    return { position, tagId: row.tag, appendedAt: row.appended_at!, newIndexes, place: { segment, offset, length } }
  }
  async function readRecord(body: RecentBody): Promise<BodyRecord | undefined> {
    const bytes = await log.read(body.place)
    return bytes && decodeBody(bytes)
  }
  return {
    find,
    readRecord,
    async read(position: number): Promise<LeasedRecord | undefined> {
      const body = find(position)
      if (!body) return undefined
      const payload = body.payload ?? (await readRecord(body))?.payload
      return payload && { position, tagId: body.tagId, payload, newIndexes: body.newIndexes }
    },
    after(position: number, limit: number) {
      const rows = position < state.indexed ? after.all(position, state.indexed, limit) : []
      const indexed = rows.map(({ position: at, tag, fresh }) => {
        return { position: Number(at), tagId: String(tag), events: setIndexes(fresh as Uint8Array).length }
      })
      if (indexed.length === limit) return indexed
      const newer = recent.after(Math.max(position, state.indexed), limit - indexed.length)
      return [
        ...indexed,
        ...newer.map(({ position: at, tagId, newIndexes }) => ({ position: at, tagId, events: newIndexes.length })),
      ]
    },
  }
}

/** Writes what is in memory to the index, one checkpoint after the other. */
function openCheckpoints({ log, index, keys, recent, state, clock }: StreamParts) {
  const withLock = keyedMutex()
  let bytes = 0
  const checkpoint = () =>
    withLock('checkpoint', async () => {
      bytes = 0
      const at = log.end() // before the keys: what is behind it is read again, and may be in the index already
      const bodies = recent.all()
      const pending = keys.rotate()
      const day = dayOf(clock.now())
      const { last: position, settled } = state
      const rows = bodies.map(({ newIndexes, place, position: of, tagId, appendedAt }) => {
        const fresh = toBitset(Array.from({ length: newIndexes.at(-1)! + 1 }, (_, n) => newIndexes.includes(n)))
        return { position: of, tagId, appendedAt, fresh, ...place }
      })
      const indexed = { at, position, cursor: settled.cursor(), ahead: settled.ahead() }
      const { segments } = await index.ask({ day, checkpoint: indexed, bodies: rows, keys: pending })
      keys.setSegments(segments, pending.length)
      state.indexed = Math.max(state.indexed, bodies.at(-1)?.position ?? 0)
      recent.drop(bodies)
    })
  return {
    checkpoint,
    /** A body was appended: the index takes over once enough are in memory. */
    noteAppended(length: number) {
      bytes += length
      if (!keys.isFull() && bytes < bytesPerCheckpoint) return
      bytes = 0
      checkpoint().catch((error) =>
        processLog({ level: 'error', message: 'could not write the index of the stream', error }),
      )
    },
  }
}

/** Replaces bodies: the new copy is on disk before the old one is overwritten, and a start repeats what a crash cut off. */
function openRewrites({ log, recent }: StreamParts, bodies: ReturnType<typeof openBodies>) {
  const withLock = keyedMutex()
  let rewritten = 0
  const move = (position: number, change: (payload: Uint8Array) => Uint8Array) =>
    withLock('rewrite', async () => {
      const body = bodies.find(position)
      const record = body && (await bodies.readRecord(body))
      if (!record) return false
      const moved = { ...record, payload: change(record.payload), movedFrom: body.place }
      const [place] = await log.append([encodeBody(moved)])
      recent.add({ ...moved, payload: undefined, place: place! })
      await log.erase([body.place])
      return true
    })
  return {
    move,
    rewritten: () => rewritten,
    async rewrite(position: number, change: (payload: Uint8Array) => Uint8Array) {
      if (await move(position, change)) rewritten++
    },
  }
}

async function openParts(path: string, clock: Clock): Promise<StreamParts> {
  const program = new URL('./streamIndex.thread.ts', import.meta.url)
  const index = await startThread<IndexCommand, IndexReply>(program, path, 'endProcess')
  const db = openReader(path)
  const disk = openDisk(logFolderOf(path))
  const keys = openKeyIndex(openSegments(db))
  const recent = openRecentBodies()
  const { segments } = await index.ask({ day: dayOf(clock.now()), read: true })
  keys.setSegments(segments, 0)
  const toErase: LogPlace[] = []
  const state = readStreamState(db, disk, (body, place) => {
    keys.setDay(dayOf(body.appendedAt))
    for (const [n, index] of body.newIndexes.entries()) {
      const key = body.keys[n]!
      if (keys.find(key) === undefined) keys.add(key, packPlace(body.position, index))
    }
    if (body.movedFrom) toErase.push(body.movedFrom)
    recent.add({ ...body, payload: undefined, place })
  })
  const log = openLog({ disk, now: clock.now })
  for (const { segment, offset, end } of state.damage)
    processLog({
      level: 'error',
      message: 'a part of the stream cannot be read',
      path: logFolderOf(path),
      segment,
      offset,
      end,
    })
  await log.erase(toErase)
  return { log, db, index, keys, recent, state, clock }
}

/** `lastPosition`: the last one that was assigned. */
export type LogStream = Stream & { lastPosition(): number }

/** Opens the embedded stream: an index in a SQLite file, and its log beside it. Throws an Error that names the file. */
export async function openLogStream(path: string, clock: Clock): Promise<LogStream> {
  const parts = await openParts(path, clock)
  const { log, db, index, keys, state } = parts
  const bodies = openBodies(parts)
  const checkpoints = openCheckpoints(parts)
  const leases = openLeases(state.settled.cursor(), {
    after: bodies.after,
    isSettled: state.settled.has,
    read: bodies.read,
    lastAtStart: state.last,
  })
  const appends = new Appends(parts, (length) => {
    checkpoints.noteAppended(length)
    leases.notify()
  })
  const { move, rewrite, rewritten } = openRewrites(parts, bodies)
  let closed = false

  return {
    async append(entry) {
      if (closed) throw new Error('the stream is closed')
      return appends.append(entry)
    },
    lease: leases.lease,
    settle: (positions) => appends.settle(positions),
    read: bodies.read,
    async find(key) {
      keys.setDay(dayOf(clock.now()))
      const place = keys.find(key)
      return place === undefined ? undefined : unpackPlace(place)
    },
    rewrite,
    rewritten,
    lastPosition: () => state.last,
    waiting: async () => state.last - state.settled.cursor() - state.settled.ahead().length,
    async trim(beforeMs, spare) {
      await appends.flushSettled()
      await trimLog({ ...parts, ...checkpoints, move, isClosed: () => closed }, beforeMs, spare)
    },
    async close() {
      closed = true
      leases.close()
      await appends.ended()
      // The next start has no log to read. If it cannot be written now, it has.
      await checkpoints.checkpoint().catch(() => {})
      await log.close()
      // The thread's connection is closed last: SQLite then checkpoints the WAL into the file and deletes it.
      if (db.isOpen) db.close()
      await index.close()
    },
  }
}
