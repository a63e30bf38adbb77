import { crc32 } from 'node:zlib'
import type { Disk } from './disk.ts'
import {
  alignment,
  decodeGroup,
  decodeSegment,
  type GroupHeader,
  groupHeaderBytes,
  groupHeaderLength,
  groupMagic,
  type SegmentHeader,
  segmentHeaderBytes,
  segmentName,
  segmentNumber,
} from './format.ts'
import type { LogGroup, LogPosition } from './log.ts'

/** Bytes of a segment that cannot be read although a group follows them. */
export type CorruptRange = { segment: number; offset: number; end: number }

/**
 * A segment with a valid header. `limit`: the end of its groups, from the header of the next segment if there is one,
 * else the end of the file.
 */
type FoundSegment = { number: number; header: SegmentHeader; bytes: number; limit: number }

/** The segments of a log, in order. A file whose header is torn was never written to. */
export function findSegments(disk: Disk): FoundSegment[] {
  const found = disk
    .list()
    .flatMap(({ name, bytes }) => {
      const number = segmentNumber(name)
      return number === undefined ? [] : [{ number, bytes }]
    })
    .sort((one, other) => one.number - other.number)
    .flatMap(({ number, bytes }) => {
      const header = readHeader(disk, number)
      return header ? [{ number, header, bytes, limit: bytes }] : []
    })
  const byNumber = new Map(found.map((each) => [each.number, each]))
  for (const { header } of found) {
    const before = byNumber.get(header.previous.segment)
    if (before) before.limit = Math.min(before.limit, header.previous.end)
  }
  return found
}

function readHeader(disk: Disk, number: number): SegmentHeader | undefined {
  const bytes = Buffer.alloc(segmentHeaderBytes)
  const file = openSegment(disk, number)
  if (file === undefined) return undefined
  try {
    return disk.read(file, bytes, 0) === segmentHeaderBytes ? decodeSegment(bytes) : undefined
  } finally {
    disk.close(file)
  }
}

/** Opens the file of a segment; undefined if it was deleted. */
function openSegment(disk: Disk, number: number): number | undefined {
  try {
    return disk.open(segmentName(number), false)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A group at an offset, with its header. Later groups refer to its number and CRC. */
type ReadGroup = LogGroup & { header: GroupHeader; segment: number }

function readGroupAt(disk: Disk, file: number, { header, number, limit }: FoundSegment, offset: number) {
  const start = Buffer.alloc(groupHeaderBytes)
  if (offset + groupHeaderBytes > limit || disk.read(file, start, offset) < groupHeaderBytes) return undefined
  const lengths = groupHeaderLength(start)
  if (!lengths || lengths.headers > lengths.group || offset + lengths.group > limit) return undefined
  const bytes = Buffer.allocUnsafe(lengths.group)
  if (disk.read(file, bytes, offset) < lengths.group) return undefined
  const group = decodeGroup(bytes, header.salt)
  if (!group) return undefined
  const records: { kind: number; body: Uint8Array | undefined; place: LogGroup['records'][number]['place'] }[] = []
  for (const { kind, length, crc, offset: at } of group.records) {
    if (at + length > bytes.length) return undefined
    const body = bytes.subarray(at, at + length)
    const isWhole = crc32(body) === crc
    if (!isWhole && !isErased(body)) return undefined
    records.push({ kind, body: isWhole ? body : undefined, place: { segment: number, offset: offset + at, length } })
  }
  const end = { segment: number, offset: offset + group.length }
  return { records, end, writtenAt: group.writtenAt, header: group, segment: number }
}

/** Whether bytes were overwritten with zeros. */
export const isErased = (body: Uint8Array): boolean => body.every((byte) => byte === 0)

/** Searches behind an offset without a group for the next group that is newer than `after`. */
function searchGroup(
  disk: Disk,
  file: number,
  segment: FoundSegment,
  offset: number,
  after: number,
): number | undefined {
  const chunk = Buffer.alloc(1024 * 1024)
  for (let from = offset + alignment; from < segment.limit; from += chunk.length - alignment) {
    const count = disk.read(file, chunk, from)
    for (let at = 0; at + 4 <= count; at += alignment) {
      if (chunk.readUInt32LE(at) !== groupMagic) continue
      const found = readGroupAt(disk, file, segment, from + at)
      if (found && found.header.number > after) return from + at
    }
    if (count < chunk.length) return undefined
  }
  return undefined
}

/**
 * Reads the groups in order and one at a time, from a position (default: the oldest) up to `to` (default: the end). An
 * unreadable group is damage if a later one can be read; else it is the torn end of the log.
 */
export function* readGroups(disk: Disk, from?: LogPosition, to?: LogPosition): Generator<ReadGroup | CorruptRange> {
  const start = from ?? { segment: 0, offset: 0 }
  const segments = findSegments(disk).filter(
    ({ number }) => number >= start.segment && (to === undefined || number <= to.segment),
  )
  let last = -1
  let torn: CorruptRange | undefined
  for (const segment of segments) {
    if (to?.segment === segment.number) segment.limit = Math.min(segment.limit, to.offset)
    const first = segment.number === start.segment ? Math.max(start.offset, segmentHeaderBytes) : segmentHeaderBytes
    for (const each of readSegment(disk, segment, first, last)) {
      if ('isTorn' in each) torn = each.isTorn
      else {
        if (torn) yield torn // a group follows, so that this was damage
        torn = undefined
        if ('header' in each) last = each.header.number
        yield each
      }
    }
  }
}

type SegmentPart = ReadGroup | CorruptRange | { isTorn: CorruptRange }

function* readSegment(disk: Disk, segment: FoundSegment, first: number, after: number): Generator<SegmentPart> {
  const file = openSegment(disk, segment.number)
  if (file === undefined) return
  try {
    for (let offset = first, last = after; offset < segment.limit; ) {
      const next = nextPart(disk, file, segment, offset, last)
      yield next
      if ('isTorn' in next) return
      if ('header' in next) last = next.header.number
      offset = 'header' in next ? next.end.offset : next.end
    }
  } finally {
    disk.close(file)
  }
}

function nextPart(disk: Disk, file: number, segment: FoundSegment, offset: number, last: number): SegmentPart {
  const group = readGroupAt(disk, file, segment, offset)
  if (group && group.header.number > last) return group
  const later = searchGroup(disk, file, segment, offset, last)
  if (later !== undefined) return { segment: segment.number, offset, end: later }
  return { isTorn: { segment: segment.number, offset, end: segment.limit } }
}
