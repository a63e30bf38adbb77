import type { Cutoffs } from '#store/found.ts'
import type { Read } from './read.ts'
import type { Slice, Spot } from './slice.ts'

const minuteMs = 60_000

/** The tables of counts, and what each counts by besides tag and minute. */
const tables = {
  event_count: 'name',
  delivery_count: 'script, name, status, reason',
  issue_count: 'name, path, message',
  refused_count: 'whose',
}

/** Counts of minutes become those of the step they lie in: none is lost, and old ones take little room. */
function coarsen(table: keyof typeof tables, stepMinutes: number, cutoff: (cutoffs: Cutoffs) => number) {
  const by = tables[table]
  const nextTag = `SELECT min(tag) AS tag FROM ${table} WHERE tag > ?`
  const fine = `SELECT minute FROM ${table} WHERE tag = ? AND minute > ? AND minute < ? AND minute % ${stepMinutes} <> 0
    ORDER BY minute LIMIT 1`
  const inStep = `tag = ?1 AND minute > ?2 AND minute < ?2 + ${stepMinutes}`
  const sum = `INSERT INTO ${table} SELECT tag, ?2, ${by}, sum(count) FROM ${table} WHERE ${inStep} GROUP BY ${by}
    ON CONFLICT DO UPDATE SET count = count + excluded.count`
  const clear = `DELETE FROM ${table} WHERE ${inStep}`
  return (read: Read, cutoffs: Cutoffs, spot: Spot): Slice => {
    // A step is summed up once all of it is old.
    const until = Math.floor(cutoff(cutoffs) / minuteMs / stepMinutes) * stepMinutes
    const minute = read.one(fine, spot.tag, spot.position, until)?.minute
    if (minute === undefined) {
      const tag = read.one(nextTag, spot.tag)?.tag ?? undefined
      return { unit: [], dropped: 0, next: tag === undefined ? undefined : { ...spot, tag: Number(tag), position: -1 } }
    }
    const begins = Number(minute) - (Number(minute) % stepMinutes)
    const unit = [sum, clear].map((sql) => ({ sql, rows: [[spot.tag, begins]] }))
    return { unit, dropped: 0, next: { ...spot, position: begins + stepMinutes - 1 } }
  }
}

const names = Object.keys(tables) as (keyof typeof tables)[]

/** First minutes into hours, then hours into days. */
export const coarser = [
  ...names.map((table) => coarsen(table, 60, ({ hoursMs }) => hoursMs)),
  ...names.map((table) => coarsen(table, 24 * 60, ({ daysMs }) => daysMs)),
]
