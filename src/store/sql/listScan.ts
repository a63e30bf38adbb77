import { isStatusSelective, matchesEvent, matchesState } from '#store/deliveryMatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { createDeliveryReads } from './deliveryReads.ts'
import type { Dialect, EventKey, PlaceRange, StateKey } from './dialect.ts'
import { isAfter, keyOf, placeOf } from './places.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'
import { scanStates } from './stateKeys.ts'

/** Undefined at the end of the scan. */
type NextRows<Row = SqlRow> = () => Read<Row[] | undefined>

/** The first group of a scan is small, because most pages end in it. An event has several deliveries. */
const eventsPerRead = { first: 50, later: 200 }
const rowsPerRead = { first: 200, later: 1_000 }

/** Scans the keys of a tag's events. The event of the cursor is repeated unless all of its deliveries were listed. */
export function scanEvents(
  { selectEvents, delivery: { noScript } }: Dialect,
  { tagId, from, after }: PlaceRange,
  filter: DeliveryFilter,
): NextRows<EventKey> {
  let before: EventKey | undefined = { ...after, idx: after.script === noScript ? after.idx : after.idx + 1 }
  let limit = eventsPerRead.first
  return function* () {
    if (!before) return undefined
    const keys: EventKey[] = (yield selectEvents({ tagId, from, before }, filter, limit)).map(keyOf)
    before = keys.length < limit ? undefined : keys.at(-1)
    limit = eventsPerRead.later
    return keys
  }
}

/** Most deliveries are delivered, and these have no reason. */
const mayBeDelivered = ({ statuses, reasons }: DeliveryFilter) =>
  reasons === undefined && (statuses?.includes('delivered') ?? true)

const matchesEventOf = ({ name, user_id, received_at }: SqlRow, filter: DeliveryFilter) =>
  matchesEvent({ eventName: name, userId: user_id, receivedAt: Number(received_at) }, filter)

/** Scans of lists. A row with `isEventEnd` follows after all deliveries of an event. */
export function createListScan(dialect: Dialect) {
  const { ranksDelivered, noScript } = dialect.delivery
  const deliveries = createDeliveryReads(dialect)
  const states = scanStates(dialect)

  function scanByEvent(range: PlaceRange, filter: DeliveryFilter): NextRows {
    const nextEvents = scanEvents(dialect, range, filter)
    return function* () {
      const events = yield* nextEvents()
      if (!events) return undefined
      const byEvent = Map.groupBy(yield* deliveries.at(range.tagId, events), ({ no }) => Number(no))
      return events
        .flatMap((key, n): SqlRow[] => [
          ...(byEvent.get(n) ?? []).reverse(),
          { ...key, script: noScript, isEventEnd: true },
        ])
        .filter((row) => isAfter(placeOf(row), range.after))
    }
  }
  function scanByState(range: PlaceRange, keys: readonly StateKey[]): NextRows {
    const nextPlaces = dialect.scanPlaces(range, keys)
    let limit = rowsPerRead.first
    return function* () {
      const places = yield* nextPlaces(limit)
      limit = rowsPerRead.later
      return places.length > 0 ? yield* deliveries.at(range.tagId, places) : undefined
    }
  }
  const matches = (row: SqlRow, filter: DeliveryFilter) =>
    !row.isEventEnd &&
    matchesEventOf(row, filter) &&
    matchesState({ status: row.status, reason: row.reason, scriptId: row.script_id }, filter)

  return {
    deliveries,
    matchesEvent: matchesEventOf,
    /** Scans the deliveries that may match a filter. */
    *open(range: PlaceRange, filter: DeliveryFilter): Read<NextRows> {
      if (!isStatusSelective(filter) || (!ranksDelivered && mayBeDelivered(filter))) return scanByEvent(range, filter)
      const scripts = filter.scriptId === undefined ? undefined : [filter.scriptId]
      return scanByState(range, yield* states(range.tagId, filter, scripts))
    },
    /** The rows that match a filter. Reads attempts only where all other filters match. */
    *matching(rows: readonly SqlRow[], filter: DeliveryFilter): Read<ReadonlySet<SqlRow>> {
      const found = rows.filter((row) => matches(row, filter))
      const { httpStatuses } = filter
      if (!httpStatuses) return new Set(found)
      const ended = yield* deliveries.withLastAttempts(found)
      return new Set(found.filter((_, n) => httpStatuses.some((each) => each === ended[n]!.http_status)))
    },
  }
}
