import { randomBytes } from 'node:crypto'
import { type Disk, openDisk } from './disk.ts'
import { encodeGroup, encodeSegment, groupLength, segmentHeaderBytes, segmentName, segmentNumber } from './format.ts'
import {
  type LogPlace,
  type LogPosition,
  type LogRecord,
  type LogSegment,
  LogUnwritable,
  type SegmentLog,
} from './log.ts'
import { findSegments, isErased, readGroups } from './readGroups.ts'

type LogOptions = {
  disk: Disk
  now?: () => number
  /** A group that would make a segment longer than this begins the next segment. */
  segmentBytes?: number
  /** The pause after each group. In a larger group, each record costs less. */
  pauseMs?: number
  random?: (bytes: number) => Uint8Array
}

const defaultSegmentBytes = 64 * 1024 * 1024
/** A group is closed at this size; a single call may be larger. */
const maxGroupBytes = 8 * 1024 * 1024
/** The maximum number of bytes that wait for the disk. */
const maxWaitingBytes = 64 * 1024 * 1024
/** A larger buffer is released after its group. */
const keptBufferBytes = 1024 * 1024
const firstBufferBytes = 64 * 1024

type Waiting = {
  records: readonly LogRecord[]
  bytes: number
  resolve(places: LogPlace[]): void
  reject(error: Error): void
}
/** The last group of the log, which the next segment refers to. */
type Tail = { segment: number; end: number; group: number; crc: number }
type FoundLog = { segments: LogSegment[]; lastNumber: number; tail: Tail; logId: Uint8Array | undefined }

/** Finds the segments and the last group of a log. */
function findTail(disk: Disk): FoundLog {
  const found = findSegments(disk)
  const segments = found.map(({ number, header, limit }) => ({ number, createdAt: header.createdAt, bytes: limit }))
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

/** Writes groups, one after the other, into the newest segment. */
class GroupWriter {
  readonly segments: LogSegment[]
  readonly #disk: Disk
  readonly #now: () => number
  readonly #segmentBytes: number
  readonly #random: (bytes: number) => Uint8Array
  readonly #tail: Tail
  readonly #logId: Uint8Array
  #lastNumber: number
  #current: { file: number; salt: Uint8Array } | undefined
  #buffer = Buffer.allocUnsafe(firstBufferBytes)
  #isEnded = false

  constructor({ disk, now = Date.now, segmentBytes = defaultSegmentBytes, random = randomBytes }: LogOptions) {
    const { segments, lastNumber, tail, logId } = findTail(disk)
    this.segments = segments
    this.#disk = disk
    this.#now = now
    this.#segmentBytes = segmentBytes
    this.#random = random
    this.#tail = tail
    this.#logId = logId ?? random(16)
    this.#lastNumber = lastNumber
  }
  end(): LogPosition {
    return { segment: this.#tail.segment, offset: this.#tail.end }
  }
  /** The file of the segment that is written to. */
  fileOf(segment: number): number | undefined {
    return segment === this.#tail.segment ? this.#current?.file : undefined
  }
  endSegment(): void {
    this.#isEnded = true
  }
  close(): void {
    if (this.#current) this.#disk.close(this.#current.file)
    this.#current = undefined
    this.#isEnded = false
  }
  /**
   * After a failure, begins a segment whose header makes all bytes behind the last group invalid. Ignores a failure of
   * that write.
   */
  async fence(): Promise<void> {
    if (!this.#current) await this.#begin().catch(() => {})
  }
  /** Writes a group behind the last one. After a failure its pages are never written again. */
  async write(records: readonly LogRecord[]): Promise<LogPlace[]> {
    const [tail, length] = [this.#tail, groupLength(records)]
    const isFull = tail.end + length > this.#segmentBytes && tail.end > segmentHeaderBytes
    if (isFull || this.#isEnded) this.close()
    const { file, salt } = this.#current ?? (await this.#begin())
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(length)
    const header = { number: tail.group + 1, salt, previousCrc: tail.crc, writtenAt: this.#now() }
    const { crc, offsets } = encodeGroup(this.#buffer, records, header)
    try {
      await this.#disk.write(file, this.#buffer.subarray(0, length), tail.end)
      await this.#disk.sync(file)
    } catch (error) {
      this.close()
      throw error
    }
    const places = records.map(({ body }, at): LogPlace => {
      return { segment: tail.segment, offset: tail.end + offsets[at]!, length: body.length }
    })
    Object.assign(tail, { end: tail.end + length, group: tail.group + 1, crc })
    this.segments.at(-1)!.bytes = tail.end
    if (this.#buffer.length > keptBufferBytes) this.#buffer = Buffer.allocUnsafe(firstBufferBytes)
    return places
  }
  /**
   * Begins a segment. Its header fences off the bytes that a torn or failed write has left behind the last group. The
   * header is synced before any group of the segment is confirmed.
   */
  async #begin(): Promise<{ file: number; salt: Uint8Array }> {
    this.close()
    const number = ++this.#lastNumber
    const [salt, createdAt] = [this.#random(16), this.#now()]
    const { segment, end, group, crc } = this.#tail
    const file = this.#disk.open(segmentName(number), true)
    this.segments.push({ number, createdAt, bytes: segmentHeaderBytes })
    try {
      const header = { logId: this.#logId, number, salt, previous: { segment, end, group, crc }, createdAt }
      await this.#disk.write(file, encodeSegment(header), 0)
      await this.#disk.sync(file)
      await this.#disk.syncDir()
    } catch (error) {
      this.#disk.close(file)
      throw error
    }
    Object.assign(this.#tail, { segment: number, end: segmentHeaderBytes })
    this.#current = { file, salt }
    return this.#current
  }
}

/** The records that wait for a group. */
class GroupQueue {
  readonly #writer: GroupWriter
  readonly #pauseMs: number
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(writer: GroupWriter, { pauseMs = 0 }: Pick<LogOptions, 'pauseMs'>) {
    this.#writer = writer
    this.#pauseMs = pauseMs
  }
  add(records: readonly LogRecord[]): Promise<readonly LogPlace[]> {
    return new Promise((resolve, reject) => {
      const bytes = groupLength(records)
      if (this.#isClosed) return reject(new LogUnwritable('the log is closed'))
      if (this.#waitingBytes + bytes > maxWaitingBytes && this.#waiting.length > 0)
        return reject(new LogUnwritable('the disk is too slow: too many writes are waiting'))
      this.#waiting.push({ records, bytes, resolve, reject })
      this.#waitingBytes += bytes
      this.#running ??= this.#run()
    })
  }
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }
  #take(): Waiting[] {
    let bytes = 0
    const over = this.#waiting.findIndex((each) => {
      bytes += each.bytes
      return bytes > maxGroupBytes
    })
    const group = this.#waiting.splice(0, over === -1 ? this.#waiting.length : Math.max(over, 1))
    for (const each of group) this.#waitingBytes -= each.bytes
    return group
  }
  async #run(): Promise<void> {
    await new Promise(setImmediate) // records of one turn of the event loop form one group
    while (this.#waiting.length > 0) {
      const group = this.#take()
      try {
        const places = await this.#writer.write(group.flatMap(({ records }) => records))
        let at = 0
        for (const { records, resolve } of group) {
          resolve(places.slice(at, at + records.length))
          at += records.length
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        // The fence first: the caller of a rejected append may send the records again.
        await this.#writer.fence()
        for (const { reject } of group) reject(new LogUnwritable(`the log cannot be written: ${why}`, { cause: error }))
      }
      if (this.#pauseMs > 0 && !this.#isClosed) await new Promise((resolve) => setTimeout(resolve, this.#pauseMs))
    }
    this.#running = undefined
  }
}

/** Opens a log in a folder. Nothing is written before the first record, which begins a new segment. */
export const openLogIn = (folder: string, options: Omit<LogOptions, 'disk'> = {}): SegmentLog =>
  openLog({ ...options, disk: openDisk(folder) })

/** Opens a log. Throws an Error if a file cannot be read. */
export function openLog(options: LogOptions): SegmentLog {
  const { disk } = options
  const writer = new GroupWriter(options)
  const queue = new GroupQueue(writer, options)
  const { segments } = writer

  /** Reads from a segment; returns 0 if it was deleted. */
  function readAt(segment: number, bytes: Uint8Array, offset: number): number {
    const current = writer.fileOf(segment)
    if (current !== undefined) return disk.read(current, bytes, offset)
    if (!segments.some(({ number }) => number === segment)) return 0
    const file = disk.open(segmentName(segment), false)
    try {
      return disk.read(file, bytes, offset)
    } finally {
      disk.close(file)
    }
  }
  return {
    append: (records) => queue.add(records),
    end: () => writer.end(),
    async read({ segment, offset, length }) {
      const bytes = Buffer.allocUnsafe(length)
      const count = readAt(segment, bytes, offset)
      return count === length && (length === 0 || !isErased(bytes)) ? bytes : undefined
    },
    async erase(places) {
      for (const [segment, each] of Map.groupBy(places, (place) => place.segment)) {
        if (!segments.some(({ number }) => number === segment)) continue
        // Opens the file again: the writer may close its own file in the meantime, and the system may reuse the
        // descriptor.
        const file = disk.open(segmentName(segment), false)
        try {
          for (const { offset, length } of each) await disk.write(file, Buffer.alloc(length), offset)
          await disk.sync(file)
        } finally {
          disk.close(file)
        }
      }
    },
    segments: () => segments.map((each) => ({ ...each })),
    beginSegment: () => writer.endSegment(),
    async deleteSegments(numbers) {
      const { segment: current } = writer.end()
      const deleted = segments.filter(({ number }) => numbers.includes(number) && number !== current)
      for (const each of deleted) {
        segments.splice(segments.indexOf(each), 1)
        disk.unlink(segmentName(each.number))
      }
      if (deleted.length > 0) await disk.syncDir()
    },
    async close() {
      await queue.close()
      writer.close()
    },
  }
}
