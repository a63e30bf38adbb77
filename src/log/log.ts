/** A record: its kind, 1 to 255, whose meaning the caller defines, and its bytes. */
export type LogRecord = { kind: number; body: Uint8Array }

/** Where the body of a record lies: the number of the segment, and the offset and length in bytes. */
export type LogPlace = { segment: number; offset: number; length: number }

/** A position between two groups: groups before it are read before groups after it. */
export type LogPosition = { segment: number; offset: number }

/** A segment file. `createdAt`: epoch ms. `bytes`: its synced length. */
export type LogSegment = { number: number; createdAt: number; bytes: number }

/** A group that was read: its records with their places. `body` is undefined for a record whose bytes were erased. */
export type LogGroup = {
  records: readonly { kind: number; body: Uint8Array | undefined; place: LogPlace }[]
  end: LogPosition
  /** When it was written, epoch ms. */
  writtenAt: number
}

/**
 * The disk is full or has failed. None of the records is in the log, and none will be after a restart. Exception: if the
 * process ends before the header of the next segment can be written, they may appear after a restart.
 */
export class LogUnwritable extends Error {
  override name = 'LogUnwritable'
}

/**
 * An append-only log in segment files, with group commit: records that arrive during a write share the next one. The records
 * of one call are stored together or not at all.
 */
export type SegmentLog = {
  /** Resolves with the places of the records, in order, once they are on disk. Rejects with LogUnwritable. */
  append(records: readonly LogRecord[]): Promise<readonly LogPlace[]>
  /** The end of what is on disk. */
  end(): LogPosition
  /** The bytes of a record; undefined if they were erased or their segment was deleted. Rejects if they are damaged. */
  read(place: LogPlace): Promise<Uint8Array | undefined>
  /** Overwrites these records with zeros; resolves once that is on disk. */
  erase(places: readonly LogPlace[]): Promise<void>
  /** The segments, oldest first; the last one is written to. */
  segments(): readonly LogSegment[]
  /** Makes the next group begin a new segment. */
  beginSegment(): void
  /** Deletes these segments, except the one that is being written. */
  deleteSegments(numbers: readonly number[]): Promise<void>
  /** Waits for pending records, then closes the files. */
  close(): Promise<void>
}
