import { standardEvents } from '#contract/standardEvents.ts'
import type { QueryRow, Sql } from '#postgres/database.ts'
import { countedNames, otherNames } from '#store/deliveryQueries.ts'
import { addCounts, addUp, mergeRows } from '#store/sql/bulkRows.ts'
import { arrayRows, columnsOf, toStoredText } from './columns.ts'
import { postgresDialect } from './dialect.ts'
import { runStatement } from './statements.ts'

const minutesPerDay = 1_440

/** `minute`: since 1970. */
type CountedEvents = { tag: string; minute: number; name: string; count: number }
/** `at`: when the last of them reached the status (epoch ms). `reason`: empty if there is none. */
export type CountedDeliveries = CountedEvents & { script: string; status: string; reason: string; at: number }
type CountedIssues = CountedEvents & { path: string; message: string }

export const readCountedDeliveries = (row: QueryRow): CountedDeliveries => ({
  tag: String(row.tag),
  minute: Number(row.minute),
  script: String(row.script),
  name: String(row.name),
  status: String(row.status),
  reason: String(row.reason),
  count: Number(row.count),
  at: Number(row.at),
})

/** Pending without a reason waits for its first attempt, and is not counted. */
export const isCounted = ({ status, reason }: CountedDeliveries): boolean => status !== 'pending' || reason !== ''

type NamedRow = Pick<CountedEvents, 'tag' | 'minute' | 'name'>
const nameKey = (tag: string, day: number, name: string) => `${tag} ${day} ${name}`
const dayOf = ({ minute }: Pick<NamedRow, 'minute'>) => Math.floor(minute / minutesPerDay)

const selectNames = `
  SELECT counted.tag, counted.day, counted.name FROM unnest($1::text[], $2::int[], $3::text[]) AS wanted (tag, day, name)
    JOIN counted_name AS counted USING (tag, day, name)`
/** Days that have room for names. */
const lockDays = `
  INSERT INTO counted_day (tag, day, names)
  SELECT tag, day, 0 FROM unnest($1::text[], $2::int[]) AS wanted (tag, day)
  WHERE NOT EXISTS (
    SELECT 1 FROM counted_day AS full_day
    WHERE full_day.day = wanted.day AND full_day.tag = wanted.tag AND full_day.names >= ${countedNames})
  GROUP BY tag, day ORDER BY day, tag COLLATE "C"
  ON CONFLICT (day, tag) DO UPDATE SET names = counted_day.names RETURNING 1 AS one`
const addNames = `
  WITH wanted AS (
    SELECT tag, day, name, row_number() OVER (PARTITION BY tag, day ORDER BY no) AS number
    FROM unnest($1::text[], $2::int[], $3::text[]) WITH ORDINALITY AS wanted (tag, day, name, no)
    WHERE NOT EXISTS (
      SELECT 1 FROM counted_name AS counted
      WHERE counted.tag = wanted.tag AND counted.day = wanted.day AND counted.name = wanted.name)
  ), added AS (
    INSERT INTO counted_name (tag, day, name)
    SELECT wanted.tag, wanted.day, wanted.name FROM wanted JOIN counted_day USING (day, tag)
    WHERE wanted.number <= ${countedNames} - counted_day.names
    RETURNING tag, day
  )
  UPDATE counted_day SET names = counted_day.names + added.count
  FROM (SELECT tag, day, count(*) AS count FROM added GROUP BY tag, day) AS added
  WHERE counted_day.tag = added.tag AND counted_day.day = added.day`

/**
 * Replaces names that are not counted separately. `mayAdd`: a new name is counted separately while its day has room.
 */
async function withCountedNames<Row extends NamedRow>(sql: Sql, rows: readonly Row[], mayAdd: boolean): Promise<Row[]> {
  const custom = new Map<string, [tag: string, day: number, name: string]>()
  for (const row of rows)
    if (!Object.hasOwn(standardEvents, row.name))
      custom.set(nameKey(row.tag, dayOf(row), row.name), [row.tag, dayOf(row), row.name])
  if (custom.size === 0) return [...rows]
  const find = async () => {
    const found = await sql(selectNames, columnsOf([...custom.values()], 3))
    return new Set(found.map(({ tag, day, name }) => nameKey(String(tag), Number(day), String(name))))
  }
  let counted = await find()
  if (mayAdd && counted.size < custom.size) {
    const missing = columnsOf(
      [...custom].filter(([key]) => !counted.has(key)).map(([, each]) => each),
      3,
    )
    const withRoom = await sql(lockDays, missing.slice(0, 2)) // one writer of a tag and day at a time
    if (withRoom.length > 0) await sql(addNames, missing)
    if (withRoom.length > 0) counted = await find()
  }
  return rows.map((row) => {
    const isOwn = Object.hasOwn(standardEvents, row.name) || counted.has(nameKey(row.tag, dayOf(row), row.name))
    return isOwn ? row : { ...row, name: otherNames }
  })
}

const insertEventCounts = addCounts(postgresDialect, 'event_count')
const insertIssueCounts = addCounts(postgresDialect, 'issue_count')
const counted = arrayRows('added', {
  ...({ tag: 'text', minute: 'int8', script: 'text', name: 'text', status: 'text', reason: 'text' } as const),
  count: 'int8',
})
const delivered = arrayRows('delivered', { tag: 'text', script: 'text', at: 'int8' }, 8)
/** Adds the counts, and records when each channel delivered last. */
const insertDeliveryCounts = `
  WITH last AS (
    INSERT INTO last_delivery AS stored (${delivered.names}) SELECT * FROM ${delivered.from}
    ON CONFLICT (tag, script) DO UPDATE SET at = excluded.at WHERE stored.at < excluded.at
  )
  INSERT INTO delivery_count AS counted (${counted.names}) SELECT * FROM ${counted.from}
  ON CONFLICT (tag, minute, script, name, status, reason) DO UPDATE SET count = counted.count + excluded.count`

export async function addEventCounts(sql: Sql, events: readonly CountedEvents[]): Promise<void> {
  if (events.length === 0) return
  const named = await withCountedNames(sql, events, true)
  await runStatement(sql, insertEventCounts(named.map(({ tag, minute, name, count }) => [tag, minute, name, count])))
}

export async function addDeliveryCounts(sql: Sql, deliveries: readonly CountedDeliveries[]): Promise<void> {
  if (deliveries.length === 0) return
  const named = await withCountedNames(sql, deliveries, true)
  const rows = named.map((each) => {
    return [each.tag, each.minute, each.script, each.name, each.status, each.reason, each.count]
  })
  const last = deliveries.flatMap(({ status, tag, script, at }) => (status === 'delivered' ? [[tag, script, at]] : []))
  const lasts = mergeRows(last, 2, (one, other) => (Number(one[2]) > Number(other[2]) ? one : other))
  await sql(insertDeliveryCounts, [...counted.params(mergeRows(rows, 6, addUp)), ...delivered.params(lasts)])
}

/** An index entry has at most 2.7 kB. */
const maxIssueText = 300

/** The names of these events are known, because their deliveries were counted before. */
export async function addIssueCounts(sql: Sql, issues: readonly CountedIssues[]): Promise<void> {
  if (issues.length === 0) return
  const named = await withCountedNames(sql, issues, false)
  const short = (text: string) => toStoredText(text.slice(0, maxIssueText))
  const rows = named.map(({ tag, minute, name, path, message, count }) => {
    return [tag, minute, name, short(path), short(message), count]
  })
  await runStatement(sql, insertIssueCounts(rows))
}
