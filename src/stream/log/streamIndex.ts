import type { DatabaseSync } from 'node:sqlite'
import { migrate } from '#kit/migrate.ts'
import { dataUrl } from '#kit/ownFiles.ts'
import { keepTemporaryDataInMemory, openDatabase, transact } from '#kit/sqlite.ts'
import type { Program } from '#kit/thread.ts'
import type { LogPosition } from '#log/log.ts'
import { type DedupIndex, openDedupIndex, type SearchedSegment, type SegmentFilters } from '#stream/dedup/dedupIndex.ts'
import type { KeysOfDay } from './keyIndex.ts'

/** The place of a body in the log. `newBits`: one bit for each event, 1 if it is new. */
type BodyRow = {
  position: number
  tagId: string
  appendedAt: number
  newBits: Uint8Array
  segment: number
  offset: number
  length: number
}

/** The state of the stream when its log ended at `at`. `ahead`: the settled positions beyond the cursor. */
type Checkpoint = { at: LogPosition; position: number; cursor: number; ahead: readonly number[] }

export type Removal = { deleteSegments: readonly number[] } | { deleteBodies: readonly number[] } | { deleteKeys: true }
/** A command for the index thread. `day`: today. A checkpoint must come after the bodies before it. */
export type IndexCommand = { day: number } & (
  | { bodies: readonly BodyRow[] }
  | { checkpoint: Checkpoint; keys: readonly KeysOfDay[] }
  | Removal
  | { read: true }
)
/** `more`: there may be more to delete. */
export type IndexReply = { segments: readonly SearchedSegment[]; more?: boolean }

/** Keys that are merged in one commit. */
const keysPerMerge = 4_096

const upsertBody =
  'INSERT OR REPLACE INTO body (position, tag, appended_at, new_indexes, segment, offset, length) VALUES (?, ?, ?, ?, ?, ?, ?)'
const updateCheckpoint = 'UPDATE checkpoint SET segment = ?, offset = ?, position = ?, cursor = ?'

function writeBodies(db: DatabaseSync, bodies: readonly BodyRow[]): void {
  const upsert = db.prepare(upsertBody)
  for (const { position, tagId, appendedAt, newBits, segment, offset, length } of bodies)
    upsert.run(position, tagId, appendedAt, newBits, segment, offset, length)
}

function writeCheckpoint(db: DatabaseSync, { at, position, cursor, ahead }: Checkpoint): void {
  db.prepare(updateCheckpoint).run(at.segment, at.offset, position, cursor)
  db.exec('DELETE FROM settled')
  const insert = db.prepare('INSERT INTO settled (position) VALUES (?)')
  for (const each of ahead) insert.run(each)
}

function removeBodies(db: DatabaseSync, removal: Removal): void {
  if ('deleteSegments' in removal)
    for (const segment of removal.deleteSegments) db.prepare('DELETE FROM body WHERE segment = ?').run(segment)
  if ('deleteBodies' in removal)
    for (const position of removal.deleteBodies) db.prepare('DELETE FROM body WHERE position = ?').run(position)
}

/** The index of a stream, in its own thread. It has everything older than the last minutes. */
export function openStreamIndex(path: string): Program<IndexCommand, IndexReply> {
  const db = openDatabase(path, { cacheKib: 8192, checkpointPages: 4000 })
  migrate(db, dataUrl('stream/log/migrations/'))
  keepTemporaryDataInMemory(db)
  const filters: SegmentFilters = new Map()
  let opened: { day: number; index: DedupIndex } | undefined

  const indexOn = (day: number): DedupIndex => {
    if (opened?.day !== day) opened = { day, index: openDedupIndex(db, day, filters) }
    return opened.index
  }
  /** The opened index is kept only if the transaction commits; else it is opened again. */
  function inTransaction<Result>(day: number, work: (index: DedupIndex) => Result): Result {
    const index = indexOn(day)
    const { day: openedDay } = opened!
    opened = undefined
    const result = transact(db, () => work(index))
    opened = { day: openedDay, index }
    return result
  }
  function store(command: Extract<IndexCommand, { checkpoint: Checkpoint }>): void {
    const { day, checkpoint, keys } = command
    const added = inTransaction(day, (index) => {
      writeCheckpoint(db, checkpoint)
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
    else if ('bodies' in command) transact(db, () => writeBodies(db, command.bodies))
    else if ('deleteKeys' in command) return inTransaction(day, (index) => index.drop())
    else if (!('read' in command)) transact(db, () => removeBodies(db, command))
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
