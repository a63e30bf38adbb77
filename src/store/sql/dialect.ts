import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { Read } from './read.ts'

/** A script as large tables store it: its id, or a number. */
export type ScriptKey = string | number
export type EventKey = { position: number; idx: number }

/**
 * The sort key of a delivery in a list: deliveries are listed by event, newest first, and within an event by script. The
 * lowest script marks the place after all deliveries of the event.
 */
export type DeliveryPlace = EventKey & { script: ScriptKey }

/** The deliveries of a tag from the position `from` on that are listed after `after`. */
export type PlaceRange = { tagId: string; from: number; after: DeliveryPlace }

/** The events of a tag from the position `from` on that are listed after `before`, newest first. */
export type EventRange = { tagId: string; from: number; before: EventKey }

/** A script, a status and a reason that deliveries of a tag have. */
export type StateKey = readonly [script: ScriptKey, status: string, reason: string | null]

/** `ref`: the id of a tag or script, in a large table. */
type ColumnType = 'ref' | 'text' | 'int8' | 'float8' | 'bytea'

type TupleType = 'bigint' | 'int' | 'real' | 'text' | 'ref'

/** The SQL for listing deliveries that differs between the databases. */
type DeliveryWords = {
  /** The joins of `delivery` and `event` that `columns` needs. */
  joins: string
  id: string
  /** The ids of the script as `script_id`, and of the provider. */
  columns: string
  /** The column with the user of an event. */
  user: string
  /** Selects the events of deliveries by delivery id. `?1`: the result of `idsParam`. */
  selectPlaces: string
  idsParam(ids: readonly string[]): string
  /** The condition that an attempt belongs to a delivery. */
  isOfAttempt: string
  /** The message of the first attempt that is stored in the row of its delivery. */
  firstMessage: string
  /** True if the index of states includes delivered deliveries. */
  ranksDelivered: boolean
  /** When a delivery of the script `own.script` of the tag was last delivered. `tag`: its placeholder. */
  lastDelivered(tag: string): string
  /** The script in a place after all deliveries of an event, and the script that a cursor names. */
  noScript: ScriptKey
  scriptOf(text: string): ScriptKey
}

/** The filters that an index supports. */
export type EventFilter = Pick<DeliveryFilter, 'orderHash' | 'people' | 'userId' | 'eventName'>

/** The SQL that differs between the databases. */
export type Dialect = {
  /** Makes statements that insert rows, in their order. `conflict`: the end of the statement. */
  insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    conflict?: string,
  ): (rows: readonly (readonly SqlParam[])[]) => Statement
  /** Assigns numbers to ids of tags and scripts, before rows of large tables use them. */
  addRefs(ids: Iterable<string>): WriteUnit
  /** Selects the strings of a JSON array. `param`: its placeholder. */
  elements(param: string): string
  /** The condition that a column of text is in a JSON array of strings. */
  isIn(column: string, param: string): string
  /** The end of a query that locks the rows of a table, where writes run at the same time. */
  forUpdate(table: string): string
  /** Selects the hashes of the parts in the deployments of a tag. `param`: the placeholder of the tag. */
  deployedParts(param: string): string
  /** The tag or script as large tables store it. `param`: the placeholder of its id. */
  ref(param: string): string
  /** The condition that a column of a large table is in a JSON array of ids. `table` has the ids, by default of tags and scripts. */
  isRefOf(column: string, param: string, table?: 'replay'): string
  /** The id that a column of a large table refers to. */
  idOf(column: string, table?: 'replay'): string
  /**
   * A FROM item: the rows of the JSON array of arrays `param`. `columns`: their types; `ref` is the key of a script. `no`
   * is the number of a row.
   */
  tuples(param: string, name: string, columns: Readonly<Record<string, TupleType>>): string
  /** Selects the ids of a JSON array that large tables use, as `id` and `script`. */
  refsOf(param: string): string
  delivery: DeliveryWords
  /** A query, with parameters, of the keys of the events in a range that match a filter, newest first. */
  selectEvents(range: EventRange, filter: EventFilter, limit: number): [sql: string, ...params: SqlParam[]]
  /**
   * Opens a scan of the deliveries in some states: each call reads the next places, newest first; none at the end. The
   * scan starts after `range.after`.
   */
  scanPlaces(range: PlaceRange, keys: readonly StateKey[]): (limit: number) => Read<DeliveryPlace[]>
  /**
   * Blocks of positions with counts of their deliveries by state: their size, and a query of the sums from block `?2` to
   * `?3` of the tag `?1`. The row without script counts events. Absent where an index is counted.
   */
  funnelBlocks?: { size: number; select: string }
  /** The events of the tag `?1` with the user id `?2`, and the events that matched this user by e-mail. */
  eventsOfUser: { own: string; joined: string }
  /** Locks a tag against deployments that are being written, where writes run at the same time. */
  lockTag(tagId: string): WriteUnit
  /**
   * Adds the counts of the tag `?1` in the minutes after `?2`, of a step, to those of the minute `?2`. `by`: the columns of
   * the key besides these.
   */
  rollUpCounts(table: string, by: string, stepMinutes: number): string[]
  /** A read of counts that takes longer (ms) makes the next one shorter. */
  longReadMs: number
}
