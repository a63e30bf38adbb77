import { randomBytes } from 'node:crypto'
import { type Disk, openDisk } from './disk.ts'
import { encodeGroup, encodeSegment, groupLength, segmentHeaderBytes, segmentName, segmentNumber } from './format.ts'
import { type Log, type LogPlace, type LogPosition, type LogRecord, LogUnwritable } from './log.ts'
import { findSegments, isErased, readGroups } from './readGroups.ts'

export type LogOptions = {
  disk: Disk
  now?: () => number
  /** A group that would make a segment longer begins the next one. */
  segmentBytes?: number
  random?: (bytes: number) => Uint8Array
}

const defaultSegmentBytes = 64 * 1024 * 1024
/** A group is ended at this size; a single call may be larger. */
const maxGroupBytes = 8 * 1024 * 1024
/** What may wait for the disk. */
const maxWaitingBytes = 64 * 1024 * 1024
/** The buffer of groups is kept up to this size. */
const keptBufferBytes = 1024 * 1024

type Waiting = {
  records: readonly LogRecord[]
  bytes: number
  resolve(places: LogPlace[]): void
  reject(error: Error): void
}

type Segment = { number: number; createdAt: number; bytes: number }

/** The last group of the log, which the next one names. */
type Tail = { segment: number; end: number; group: number; crc: number }

/** Finds the segments and the last group of a log. */
function findTail(disk: Disk) {
  const found = findSegments(disk)
  const segments = found.map(({ number, header, limit }): Segment => {
    return { number, createdAt: header.createdAt, bytes: limit }
  })
  // A file with a torn header was never written to, and its name is not used again.
  const lastNumber = Math.max(0, ...disk.list().map(({ name }) => segmentNumber(name) ?? 0))
  const newest = found.at(-1)
  if (!newest) return { segments, lastNumber, tail: { segment: 0, end: 0, group: 0, crc: 0 }, logId: undefined }
  const { previous, logId } = newest.header
  const tail: Tail = { segment: newest.number, end: segmentHeaderBytes, group: previous.group, crc: previous.crc }
  for (const each of readGroups(disk, { segment: newest.number, offset: 0 }))
    if ('header' in each) Object.assign(tail, { end: each.end.offset, group: each.header.number, crc: each.header.crc })
  segments.at(-1)!.bytes = tail.end
  return { segments, lastNumber, tail, logId }
}

/** Opens a log in a folder. Nothing is written before the first record, which begins a new segment. */
export const openLogIn = (folder: string, options: Omit<LogOptions, 'disk'> = {}): Log =>
  openLog({ ...options, disk: openDisk(folder) })

/** Opens a log. Throws an Error if a file cannot be read. */
export function openLog(options: LogOptions): Log {
  const { disk, now = Date.now, segmentBytes = defaultSegmentBytes, random = randomBytes } = options
  const found = findTail(disk)
  const { segments, tail } = found
  const logId = found.logId ?? random(16)
  const waiting: Waiting[] = []
  let waitingBytes = 0
  let lastNumber = found.lastNumber
  let current: { file: number; salt: Uint8Array } | undefined
  let buffer = Buffer.allocUnsafe(64 * 1024)
  let running: Promise<void> | undefined
  let closed = false
  let isEnded = false

  /**
   * Begins a segment, whose header fences off whatever a torn or failed write has left behind the last group. It is synced
   * before a group of it can be answered.
   */
  async function begin(): Promise<{ file: number; salt: Uint8Array }> {
    endSegment()
    const number = ++lastNumber
    const [salt, createdAt] = [random(16), now()]
    const previous = { segment: tail.segment, end: tail.end, group: tail.group, crc: tail.crc }
    const file = disk.open(segmentName(number), true)
    segments.push({ number, createdAt, bytes: segmentHeaderBytes })
    try {
      await disk.write(file, encodeSegment({ logId, number, salt, previous, createdAt }), 0)
      await disk.sync(file)
      await disk.syncDir()
    } catch (error) {
      disk.close(file)
      throw error
    }
    tail.segment = number
    tail.end = segmentHeaderBytes
    current = { file, salt }
    return current
  }
  function endSegment(): void {
    if (current) disk.close(current.file)
    current = undefined
    isEnded = false
  }
  /** Writes a group behind the last one. After a failure its pages are never written again. */
  async function writeGroup(records: readonly LogRecord[]): Promise<LogPlace[]> {
    const length = groupLength(records)
    const isFull = tail.end + length > segmentBytes && tail.end > segmentHeaderBytes
    if (isFull || isEnded) endSegment()
    const { file, salt } = current ?? (await begin())
    if (buffer.length < length) buffer = Buffer.allocUnsafe(length)
    const header = { number: tail.group + 1, salt, previousCrc: tail.crc, writtenAt: now() }
    const { crc, offsets } = encodeGroup(buffer, records, header)
    try {
      await disk.write(file, buffer.subarray(0, length), tail.end)
      await disk.sync(file)
    } catch (error) {
      if (current?.file === file) endSegment()
      throw error
    }
    const begun = { segment: tail.segment, offset: tail.end }
    tail.end += length
    tail.group++
    tail.crc = crc
    segments.at(-1)!.bytes = tail.end
    if (buffer.length > keptBufferBytes) buffer = Buffer.allocUnsafe(64 * 1024)
    return records.map(({ body }, at) => {
      return { segment: begun.segment, offset: begun.offset + offsets[at]!, length: body.length }
    })
  }
  function takeGroup(): Waiting[] {
    let bytes = 0
    const over = waiting.findIndex((each) => {
      bytes += each.bytes
      return bytes > maxGroupBytes
    })
    const group = waiting.splice(0, over === -1 ? waiting.length : Math.max(over, 1))
    for (const each of group) waitingBytes -= each.bytes
    return group
  }
  async function run(): Promise<void> {
    await new Promise(setImmediate) // records of one turn of the event loop form one group
    while (waiting.length > 0) {
      const group = takeGroup()
      try {
        const places = await writeGroup(group.flatMap(({ records }) => records))
        let at = 0
        for (const { records, resolve } of group) {
          resolve(places.slice(at, at + records.length))
          at += records.length
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        // The fence first: whoever is told that a record was not stored may send it again.
        if (!current) await begin().catch(() => {})
        for (const { reject } of group) reject(new LogUnwritable(`the log cannot be written: ${why}`, { cause: error }))
      }
    }
    running = undefined
  }
  function withFile<Result>(segment: number, work: (file: number) => Result): Result | undefined {
    if (segment === tail.segment && current) return work(current.file)
    if (!segments.some(({ number }) => number === segment)) return undefined
    const file = disk.open(segmentName(segment), false)
    let result: Result
    try {
      result = work(file)
    } catch (error) {
      disk.close(file)
      throw error
    }
    if (result instanceof Promise) return result.finally(() => disk.close(file)) as Result
    disk.close(file)
    return result
  }
  async function eraseIn(segment: number, places: readonly LogPlace[]): Promise<void> {
    await withFile(segment, async (file) => {
      for (const { offset, length } of places) await disk.write(file, Buffer.alloc(length), offset)
      await disk.sync(file)
    })
  }
  const end = (): LogPosition => ({ segment: tail.segment, offset: tail.end })
  return {
    end,
    append: (records) =>
      new Promise((resolve, reject) => {
        const bytes = groupLength(records)
        if (closed) return reject(new LogUnwritable('the log is closed'))
        if (waitingBytes + bytes > maxWaitingBytes && waiting.length > 0)
          return reject(new LogUnwritable('the disk is too slow: too much waits for it'))
        waiting.push({ records, bytes, resolve, reject })
        waitingBytes += bytes
        running ??= run()
      }),
    async read({ segment, offset, length }) {
      const bytes = Buffer.allocUnsafe(length)
      const count = withFile(segment, (file) => disk.read(file, bytes, offset))
      return count === length && (length === 0 || !isErased(bytes)) ? bytes : undefined
    },
    async erase(places) {
      for (const [segment, each] of Map.groupBy(places, (place) => place.segment)) await eraseIn(segment, each)
    },
    segments: () => segments.map((each) => ({ ...each })),
    beginSegment() {
      isEnded = true
    },
    async deleteSegments(numbers) {
      const deleted = segments.filter(({ number }) => numbers.includes(number) && number !== tail.segment)
      for (const each of deleted) {
        segments.splice(segments.indexOf(each), 1)
        disk.unlink(segmentName(each.number))
      }
      if (deleted.length > 0) await disk.syncDir()
    },
    async close() {
      closed = true
      await running
      endSegment()
    },
  }
}
