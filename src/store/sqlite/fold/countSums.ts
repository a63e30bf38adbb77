import type { DatabaseSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import { countedNames, otherNames } from '#store/deliveryQueries.ts'

/**
 * The state that a delivery has reached. `tag`, `script`: numbers. `name`: of the event. `at`: epoch ms. `position`: only of a
 * row that is new.
 */
export type ReachedState = {
  position?: number
  tag: number
  script: number
  name: string
  status: string
  reason: string | null
  at: number
}

/** The positions that a row of `funnel_count` counts. */
const blockLength = 512

/**
 * Sums counts in memory, per minute and of new rows per block of the funnel, and adds them to the tables with one statement
 * per row of counts.
 */
export type CountSums = ReturnType<typeof openCountSums>

const minuteMs = 60_000
const minutesPerDay = 1_440

const isOwn = 'EXISTS (SELECT 1 FROM own_name WHERE own_name.name = ?3)'
const isCounted =
  'EXISTS (SELECT 1 FROM counted_name WHERE day = ?1 AND counted_name.tag = ?2 AND counted_name.name = ?3)'
const selectName = `SELECT ${isOwn} OR ${isCounted} AS counted`
/** Anyone can invent names, so only the first ones of a tag and day are counted separately. */
const addName = `
  INSERT INTO counted_name SELECT ?1, ?2, ?3
  WHERE coalesce((SELECT names FROM counted_day WHERE day = ?1 AND tag = ?2), 0) < ${countedNames}
  ON CONFLICT DO NOTHING`
const addUp = 'ON CONFLICT DO UPDATE SET count = count + excluded.count'
const addEvents = `INSERT INTO event_count (tag, minute, name, count) VALUES (?, ?, ?, ?) ${addUp}`
const addDeliveries = `
  INSERT INTO delivery_count (tag, minute, script, name, status, reason, count) VALUES (?, ?, ?, ?, ?, ?, ?) ${addUp}`

const addRows = `INSERT INTO funnel_count (block, tag, script, status, reason, count) VALUES (?, ?, ?, ?, ?, ?) ${addUp}`

type Key = readonly (number | string)[]
type Sums = Map<string, { key: Key; count: number }>

function add(sums: Sums, key: Key): void {
  const text = key.join('\0')
  const sum = sums.get(text)
  if (sum) sum.count++
  else sums.set(text, { key, count: 1 })
}

export function openCountSums(db: DatabaseSync) {
  const prepared = preparedStatements(db)
  const events: Sums = new Map()
  const deliveries: Sums = new Map()
  const rows: Sums = new Map()

  /** The name under which an event is counted on that day. */
  function countedName(tag: number, minute: number, name: string): string {
    const at = [Math.floor(minute / minutesPerDay), tag, name] as const
    const isKnown = () => prepared(selectName).get(...at)?.counted === 1
    if (isKnown()) return name
    prepared(addName).run(...at)
    return isKnown() ? name : otherNames
  }
  /** Discards the sums that were not written. */
  const clear = () => {
    events.clear()
    deliveries.clear()
    rows.clear()
  }
  /** Writes the counts of new rows. Call it before rows are updated or deleted, because triggers then change these counts. */
  function writeRows(): void {
    for (const { key, count } of rows.values()) prepared(addRows).run(...key, count)
    rows.clear()
  }
  return {
    clear,
    event: (tag: number, name: string, receivedAt: number) =>
      add(events, [tag, Math.floor(receivedAt / minuteMs), name]),
    /** Does not count a delivery that waits for its first attempt. */
    delivery({ tag, script, name, status, reason, at }: ReachedState): void {
      if (status === 'pending' && reason === null) return
      add(deliveries, [tag, Math.floor(at / minuteMs), script, name, status, reason ?? ''])
    },
    /** Counts a new row of a delivery; with script 0, of an event. */
    row: (tag: number, position: number, script = 0, status = '', reason: string | null | undefined = null) =>
      add(rows, [Math.floor(position / blockLength), tag, script, status, reason ?? '']),
    writeRows,
    write(): void {
      writeRows()
      for (const { key, count } of events.values()) {
        const [tag, minute, name] = key as [number, number, string]
        prepared(addEvents).run(tag, minute, countedName(tag, minute, name), count)
      }
      for (const { key, count } of deliveries.values()) {
        const [tag, minute, script, name, status, reason] = key as [number, number, number, string, string, string]
        prepared(addDeliveries).run(tag, minute, script, countedName(tag, minute, name), status, reason, count)
      }
      clear()
    },
  }
}
