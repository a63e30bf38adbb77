import type { DatabaseSync } from 'node:sqlite'
import { migrate } from '#kit/migrate.ts'
import { keepTemporaryDataInMemory, openDatabase, preparedStatements, transact } from '#kit/sqlite.ts'
import type { Program } from '#kit/thread.ts'
import type { LogPosition } from '#log/log.ts'
import { type DedupIndex, openDedupIndex, type SearchedSegment, type SegmentFilters } from '#stream/dedup/dedupIndex.ts'
import type { KeysOfDay } from './keyIndex.ts'

/** Where a body lies. `fresh`: one bit for each event, 1 if it is new. */
export type BodyRow = {
  position: number
  tagId: string
  appendedAt: number
  fresh: Uint8Array
  segment: number
  offset: number
  length: number
}

/** What the stream had done when its log ended at `at`. `ahead`: the settled positions beyond the cursor. */
export type Checkpoint = { at: LogPosition; position: number; cursor: number; ahead: readonly number[] }

/** A command for the thread of the index. `day`: today. */
export type IndexCommand = { day: number } & (
  | { checkpoint: Checkpoint; bodies: readonly BodyRow[]; keys: readonly KeysOfDay[] }
  | { deleteSegments: readonly number[] }
  | { deleteKeys: true }
  | { read: true }
)
/** `more`: there may be more to delete. */
export type IndexReply = { segments: readonly SearchedSegment[]; more?: boolean }

/** Keys that are merged in one commit. */
const keysPerMerge = 4_096

const upsertBody =
  'INSERT OR REPLACE INTO body (position, tag, appended_at, fresh, segment, offset, length) VALUES (?, ?, ?, ?, ?, ?, ?)'
const updateCheckpoint = 'UPDATE checkpoint SET segment = ?, offset = ?, position = ?, cursor = ?'

function writeCheckpoint(
  db: DatabaseSync,
  { checkpoint, bodies }: Extract<IndexCommand, { checkpoint: Checkpoint }>,
): void {
  const prepared = preparedStatements(db)
  for (const { position, tagId, appendedAt, fresh, segment, offset, length } of bodies)
    prepared(upsertBody).run(position, tagId, appendedAt, fresh, segment, offset, length)
  const { at, position, cursor, ahead } = checkpoint
  prepared(updateCheckpoint).run(at.segment, at.offset, position, cursor)
  prepared('DELETE FROM settled').run()
  for (const each of ahead) prepared('INSERT INTO settled (position) VALUES (?)').run(each)
}

/** The index of a stream, in a thread of its own: what is older than the last minutes. */
export function openStreamIndex(path: string): Program<IndexCommand, IndexReply> {
  const db = openDatabase(path, { cacheKib: 8192, checkpointPages: 4000 })
  migrate(db, new URL('./migrations/', import.meta.url))
  keepTemporaryDataInMemory(db)
  const filters: SegmentFilters = new Map()
  let opened: { day: number; index: DedupIndex } | undefined

  const indexOn = (day: number): DedupIndex => {
    if (opened?.day !== day) opened = { day, index: openDedupIndex(db, day, filters) }
    return opened.index
  }
  /** What the index has in memory is valid again once the transaction is committed. */
  function inTransaction<Result>(day: number, work: (index: DedupIndex) => Result): Result {
    const index = indexOn(day)
    const { day: openedDay } = opened!
    opened = undefined
    const result = transact(db, () => work(index))
    opened = { day: openedDay, index }
    return result
  }
  function store(command: Extract<IndexCommand, { checkpoint: Checkpoint }>): void {
    const { day, keys } = command
    const added = inTransaction(day, (index) => {
      writeCheckpoint(db, command)
      let count = 0
      for (const { day: dayOfKeys, pairs } of keys) {
        if (pairs.length > 0) index.addSegment(dayOfKeys, pairs)
        count += pairs.length / 4
      }
      return count
    })
    for (let left = added; left > 0; left -= keysPerMerge)
      inTransaction(day, (index) => index.merge(Math.min(left, keysPerMerge)))
  }
  function answer(command: IndexCommand): boolean | undefined {
    const { day } = command
    if ('checkpoint' in command) store(command)
    else if ('deleteKeys' in command) return inTransaction(day, (index) => index.drop())
    else if ('deleteSegments' in command)
      inTransaction(day, () => {
        for (const segment of command.deleteSegments) db.prepare('DELETE FROM body WHERE segment = ?').run(segment)
      })
    return undefined
  }
  return {
    answer(command) {
      const more = answer(command)
      const segments = indexOn(command.day).searched()
      return { segments, ...(more !== undefined && { more }) }
    },
    close: () => db.close(),
  }
}
