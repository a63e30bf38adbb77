import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { Read } from './read.ts'

/** A script as large tables store it: its id, or a number. */
export type ScriptKey = string | number
export type EventKey = { position: number; idx: number }

/**
 * The sort key of deliveries in lists: by event, newest first, and within an event by script. The lowest script is the
 * place after all deliveries of the event.
 */
export type DeliveryPlace = EventKey & { script: ScriptKey }

/** The deliveries of a tag from position `from` on, that are listed after `after`. */
export type PlaceRange = { tagId: string; from: number; after: DeliveryPlace }

/** The events of a tag from position `from` on, that are listed after `before`, newest first. */
export type EventRange = { tagId: string; from: number; before: EventKey }

export type StateKey = readonly [script: ScriptKey, status: string, reason: string | null]

/** `ref`: the id of a tag or script as large tables store it. */
type ColumnType = 'ref' | 'text' | 'int8' | 'float8' | 'bytea'

type TupleType = 'bigint' | 'int' | 'text' | 'ref'

/** SQL for lists of deliveries that differs between the databases. */
type DeliveryWords = {
  /** The joins that `columns` needs. */
  joins: string
  id: string
  /** Selects the id of the script as `script_id`, and that of the provider. */
  columns: string
  /** The column with the user of an event. */
  user: string
  /** Selects the events of deliveries by delivery id. `?1`: the result of `idsParam`. */
  selectPlaces: string
  idsParam(ids: readonly string[]): string
  /** The condition that joins an attempt with its delivery. */
  isOfAttempt: string
  /** The message of the first attempt, if it is stored in the row of its delivery. */
  firstMessage: string
  /** True if the index of states also has delivered deliveries. */
  ranksDelivered: boolean
  /** When a delivery of `own.script` of the tag was last delivered. `tag`: its placeholder. */
  lastDelivered(tag: string): string
  /** `noScript`: in a place after all deliveries of an event. `scriptOf`: the script that a cursor names. */
  noScript: ScriptKey
  scriptOf(text: string): ScriptKey
}

/** The filters that have an index. */
export type EventFilter = Pick<DeliveryFilter, 'orderHash' | 'people' | 'userId' | 'eventName'>

/** SQL that differs between the databases. */
export type Dialect = {
  /** Statements that insert rows in their order. `conflict`: the end of the statement. */
  insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    conflict?: string,
  ): (rows: readonly (readonly SqlParam[])[]) => Statement
  /** Assigns numbers to ids of tags and scripts. Must run before large tables use the ids. */
  addRefs(ids: Iterable<string>): WriteUnit
  /** Selects the strings of a JSON array. `param`: its placeholder. */
  elements(param: string): string
  /** The condition that a column of text is in a JSON array of strings. */
  isIn(column: string, param: string): string
  /** The end of a query that locks the rows of a table, where writes run at the same time. */
  forUpdate(table: string): string
  /** Selects the hashes of the parts in the deployments of a tag. `param`: the placeholder of the tag. */
  deployedParts(param: string): string
  /** The id of a tag or script as large tables store it. `param`: its placeholder. */
  ref(param: string): string
  /**
   * The condition that a column of a large table is in a JSON array of ids. `table`: has the ids, by default those of
   * tags and scripts.
   */
  isRefOf(column: string, param: string, table?: 'replay'): string
  /** The id that a column of a large table refers to. */
  idOf(column: string, table?: 'replay'): string
  /**
   * A FROM item with the rows of `param`, a JSON array of arrays. `columns`: their types; `ref` is the key of a script.
   * `no`: the number of a row.
   */
  tuples(param: string, name: string, columns: Readonly<Record<string, TupleType>>): string
  /** Selects the ids of a JSON array as `id`, and as `script` in the form of large tables. */
  refsOf(param: string): string
  delivery: DeliveryWords
  /** Selects the keys of the events in a range that match a filter, newest first. */
  selectEvents(range: EventRange, filter: EventFilter, limit: number): [sql: string, ...params: SqlParam[]]
  /**
   * Opens a scan of the deliveries in some states, after `range.after`. Each call reads the next places, newest first;
   * none at the end.
   */
  scanPlaces(range: PlaceRange, keys: readonly StateKey[]): (limit: number) => Read<DeliveryPlace[]>
  /**
   * Blocks of positions with counts of their deliveries by state: the size of a block, and a query of the sums from
   * block `?2` to `?3` of the tag `?1`. The row without a script counts events.
   */
  funnelBlocks: { size: number; select: string }
  /** The events of the tag `?1` with the user id `?2`, and those that matched this user by e-mail. */
  eventsOfUser: { own: string; joined: string }
  /** All purchases, as a FROM item that uses the index of this column. */
  purchasesBy(column: 'hash' | 'event_hash'): string
  /** Locks a tag against deployments that are being written, if writes run concurrently. */
  lockTag(tagId: string): WriteUnit
  /**
   * Adds the counts of the tag `?1` in the minutes of a step after `?2` to those of the minute `?2`. `by`: the other
   * columns of the key.
   */
  rollUpCounts(table: string, by: string, stepMinutes: number): string[]
  /** After a read of counts that took longer than this, the next one is smaller. */
  longReadMs: number
}
