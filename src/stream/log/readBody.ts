import type { Disk } from '#log/disk.ts'
import { segmentName } from '#log/format.ts'
import type { LogPlace } from '#log/log.ts'
import { type BodyRecord, decodeBody } from './bodyRecords.ts'

/** Reads a body at its place in the log; undefined if it was erased. Throws if the file is missing. */
export function readBody(disk: Disk, { segment, offset, length }: LogPlace): BodyRecord | undefined {
  const file = disk.open(segmentName(segment), false)
  try {
    const bytes = Buffer.allocUnsafe(length)
    disk.read(file, bytes, offset)
    return decodeBody(bytes)
  } finally {
    disk.close(file)
  }
}
