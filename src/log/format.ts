import { crc32 } from 'node:zlib'
import type { LogRecord } from './log.ts'

/**
 * The format, little endian.
 *
 * Segment: magic 8 · version u16, 2 unused · CRC of the other 124 bytes u32 · log id 16 · number u64 · salt 16 · previous
 * segment u64 · previous end u64 · previous group u64 · previous CRC u32, 4 unused · created ms f64 · 40 unused = 128 bytes.
 *
 * Group: magic u32 · CRC of the rest of this header and of the record headers u32 · length u32 · records u32 · number u64 ·
 * first 8 bytes of the segment's salt · CRC of the group before u32, 4 unused · written ms f64 = 48 bytes; then for each
 * record kind u8, 3 unused, length u32, CRC of the body u32, 4 unused = 16 bytes; then the bodies; filled up to 16 bytes.
 */
export type SegmentHeader = {
  logId: Uint8Array
  number: number
  salt: Uint8Array
  /** The previous segment, and the end of its last group. Bytes behind that end are never read again. */
  previous: { segment: number; end: number; group: number; crc: number }
  createdAt: number
}

export type GroupHeader = {
  number: number
  /** Of the whole group, in bytes. */
  length: number
  crc: number
  previousCrc: number
  writtenAt: number
  records: readonly { kind: number; length: number; crc: number; offset: number }[]
}

export const segmentHeaderBytes = 128
export const groupHeaderBytes = 48
const recordHeaderBytes = 16
/** A group begins at a multiple of this number of bytes. */
export const alignment = 16
const version = 1
const segmentMagic = Buffer.from('AGLOG\0\0\u0001', 'latin1')
export const groupMagic = 0x50524741
const suffix = '.seg'

export const segmentName = (number: number): string => `${String(number).padStart(12, '0')}${suffix}`
/** The segment number in a file name; undefined for another file. */
export const segmentNumber = (name: string): number | undefined =>
  name.endsWith(suffix) && /^\d+$/.test(name.slice(0, -suffix.length))
    ? Number(name.slice(0, -suffix.length))
    : undefined

const view = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The CRC of a segment header, stored in its bytes 12 to 16. */
const segmentCrc = (bytes: Buffer) => crc32(bytes.subarray(16), crc32(bytes.subarray(0, 12)))

export function encodeSegment({ logId, number, salt, previous, createdAt }: SegmentHeader): Uint8Array {
  const bytes = Buffer.alloc(segmentHeaderBytes)
  bytes.set(segmentMagic)
  bytes.writeUInt16LE(version, 8)
  bytes.set(logId, 16)
  bytes.writeBigUInt64LE(BigInt(number), 32)
  bytes.set(salt, 40)
  bytes.writeBigUInt64LE(BigInt(previous.segment), 56)
  bytes.writeBigUInt64LE(BigInt(previous.end), 64)
  bytes.writeBigUInt64LE(BigInt(previous.group), 72)
  bytes.writeUInt32LE(previous.crc, 80)
  bytes.writeDoubleLE(createdAt, 88)
  bytes.writeUInt32LE(segmentCrc(bytes), 12)
  return bytes
}

/** Undefined for bytes that are no complete header. Throws for the header of a newer version. */
export function decodeSegment(given: Uint8Array): SegmentHeader | undefined {
  const bytes = view(given)
  if (bytes.length < segmentHeaderBytes || !bytes.subarray(0, 8).equals(segmentMagic)) return undefined
  if (bytes.readUInt32LE(12) !== segmentCrc(bytes)) return undefined
  if (bytes.readUInt16LE(8) !== version) throw new Error('the log was written by a newer Aglet')
  return {
    logId: bytes.subarray(16, 32),
    number: Number(bytes.readBigUInt64LE(32)),
    salt: bytes.subarray(40, 56),
    previous: {
      segment: Number(bytes.readBigUInt64LE(56)),
      end: Number(bytes.readBigUInt64LE(64)),
      group: Number(bytes.readBigUInt64LE(72)),
      crc: bytes.readUInt32LE(80),
    },
    createdAt: bytes.readDoubleLE(88),
  }
}

/** The bytes of a group of these records. `scratch` is used for them if it is large enough. */
export const groupLength = (records: readonly LogRecord[]): number => {
  let length = groupHeaderBytes + recordHeaderBytes * records.length
  for (const { body } of records) length += body.length
  return Math.ceil(length / alignment) * alignment
}

/** Writes a group into the beginning of `into`, which is long enough. Returns its CRC and the offsets of the bodies. */
export function encodeGroup(
  into: Buffer,
  records: readonly LogRecord[],
  {
    number,
    salt,
    previousCrc,
    writtenAt,
  }: Pick<GroupHeader, 'number' | 'previousCrc' | 'writtenAt'> & {
    salt: Uint8Array
  },
): { crc: number; offsets: number[] } {
  const length = groupLength(records)
  const offsets: number[] = []
  let header = groupHeaderBytes
  let at = groupHeaderBytes + recordHeaderBytes * records.length
  for (const { kind, body } of records) {
    into.writeUInt32LE(kind, header)
    into.writeUInt32LE(body.length, header + 4)
    into.writeUInt32LE(crc32(body), header + 8)
    into.writeUInt32LE(0, header + 12)
    into.set(body, at)
    offsets.push(at)
    header += recordHeaderBytes
    at += body.length
  }
  into.fill(0, at, length)
  into.writeUInt32LE(groupMagic, 0)
  into.writeUInt32LE(length, 8)
  into.writeUInt32LE(records.length, 12)
  into.writeUInt32LE(number % 2 ** 32, 16)
  into.writeUInt32LE(Math.floor(number / 2 ** 32), 20)
  into.set(salt.subarray(0, 8), 24)
  into.writeUInt32LE(previousCrc, 32)
  into.writeUInt32LE(0, 36)
  into.writeDoubleLE(writtenAt, 40)
  const crc = crc32(into.subarray(8, header))
  into.writeUInt32LE(crc, 4)
  return { crc, offsets }
}

/**
 * Decodes the header of the group at the beginning of these bytes, which may go on behind the group. `salt`: the salt
 * of its segment. Undefined if there is no group, or if its headers are damaged. Bodies are not checked.
 */
export function decodeGroup(given: Uint8Array, salt: Uint8Array): GroupHeader | undefined {
  const bytes = view(given)
  if (bytes.length < groupHeaderBytes || bytes.readUInt32LE(0) !== groupMagic) return undefined
  if (bytes.compare(salt, 0, 8, 24, 32) !== 0) return undefined
  const [length, count] = [bytes.readUInt32LE(8), bytes.readUInt32LE(12)]
  const end = groupHeaderBytes + recordHeaderBytes * count
  if (end > bytes.length || end > length) return undefined
  if (bytes.readUInt32LE(4) !== crc32(bytes.subarray(8, end))) return undefined
  let offset = end
  const records = Array.from({ length: count }, (_, at) => {
    const header = groupHeaderBytes + recordHeaderBytes * at
    const record = { kind: bytes[header]!, length: bytes.readUInt32LE(header + 4), crc: bytes.readUInt32LE(header + 8) }
    offset += record.length
    return { ...record, offset: offset - record.length }
  })
  return {
    records,
    length,
    number: bytes.readUInt32LE(16) + bytes.readUInt32LE(20) * 2 ** 32,
    crc: bytes.readUInt32LE(4),
    previousCrc: bytes.readUInt32LE(32),
    writtenAt: bytes.readDoubleLE(40),
  }
}

/** The bytes that `decodeGroup` needs to recognise a group, and the length of the group; undefined if there is no group. */
export function groupHeaderLength(bytes: Uint8Array): { headers: number; group: number } | undefined {
  const buffer = view(bytes)
  if (buffer.length < groupHeaderBytes || buffer.readUInt32LE(0) !== groupMagic) return undefined
  return { headers: groupHeaderBytes + recordHeaderBytes * buffer.readUInt32LE(12), group: buffer.readUInt32LE(8) }
}
