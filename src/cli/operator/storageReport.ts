import { statfsSync } from 'node:fs'
import type { DatabaseReport } from '#kit/inspectDatabase.ts'

const dayMs = 86_400_000
/** Retention runs every hour, so a day of delay is an error. */
const retentionGraceMs = dayMs

const formatMegabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
const formatDays = (ms: number) => `${(ms / dayMs).toFixed(1)} days`

/** The size of a database, its reusable free space, and the age of its oldest event. Throws when retention lags. */
export function describeDatabaseSize(
  { bytes, freeBytes, oldestEventAt }: DatabaseReport,
  keepDays: number,
  now: number,
): string {
  const size = `${formatMegabytes(bytes)}, ${formatMegabytes(freeBytes)} free in it`
  if (oldestEventAt === undefined) return `${size}, no events`
  const ageMs = now - oldestEventAt
  const text = `${size}, oldest event ${formatDays(ageMs)} old`
  if (ageMs > keepDays * dayMs + retentionGraceMs)
    throw new Error(`${text}: retention lags, or deliveries wait for longer (aglet delivery list --status pending)`)
  return text
}

/** The free space on the disk. Throws when it is less than `minBytes`: events are refused soon. */
export function describeFreeDisk(path: string, minBytes = 1024 ** 3): string {
  const { bavail, bsize } = statfsSync(path)
  const text = `${formatMegabytes(bavail * bsize)} free`
  if (bavail * bsize < minBytes) throw new Error(`${text}: free some space, or lower AGLET_KEEP_JOURNAL_DAYS`)
  return text
}
