import type { SqlParam, Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { Read } from './read.ts'

/** A script as large tables have it: its id, or a number. */
export type ScriptKey = string | number
export type EventKey = { position: number; idx: number }

/**
 * The sort key of a delivery in a list: deliveries are listed by event, newest first, and within an event by script. The
 * least script stands for a place after all deliveries of the event.
 */
export type DeliveryPlace = EventKey & { script: ScriptKey }

/** The deliveries of a tag from the position `from` on that are listed after `after`. */
export type PlaceRange = { tagId: string; from: number; after: DeliveryPlace }

/** The events of a tag from the position `from` on that are listed after `before`, newest first. */
export type EventRange = { tagId: string; from: number; before: EventKey }

/** A script, a status and a reason that deliveries of a tag have. */
export type StateKey = readonly [script: ScriptKey, status: string, reason: string | null]

/** What a column takes. `ref`: the id of a tag or script, in a large table. */
type ColumnType = 'ref' | 'text' | 'int8' | 'float8' | 'bytea'

type TupleType = 'bigint' | 'int' | 'text' | 'ref'

/** What the databases write differently of deliveries in lists. */
type DeliveryWords = {
  /** The joins of `delivery` and `event` that `columns` needs. */
  joins: string
  id: string
  /** The ids of the script as `script_id`, and of the provider. */
  columns: string
  /** The column with the user of an event. */
  user: string
  /** A query of the events of deliveries, by their ids: `?1` is what `idsParam` makes of these. */
  selectPlaces: string
  idsParam(ids: readonly string[]): string
  /** The condition that an attempt is of a delivery. */
  isOfAttempt: string
  /** The message of the first attempt that is stored in the row of its delivery. */
  firstMessage: string
  /** Whether the index of states has the delivered ones. */
  ranksDelivered: boolean
  /** When a delivery of the script `own.script` of the tag was last delivered. `tag`: its placeholder. */
  lastDelivered(tag: string): string
  /** The script in a place after all deliveries of an event, and the script that a cursor names. */
  noScript: ScriptKey
  scriptOf(text: string): ScriptKey
}

/** What selects events by an index. */
export type EventFilter = Pick<DeliveryFilter, 'orderHash' | 'people' | 'userId' | 'eventName'>

/** What the databases write differently. */
export type Dialect = {
  /** Makes statements that insert rows, in their order. `conflict`: what the statement ends with. */
  insert(
    table: string,
    columns: Readonly<Record<string, ColumnType>>,
    conflict?: string,
  ): (rows: readonly (readonly SqlParam[])[]) => Statement
  /** Assigns numbers to ids of tags and scripts, before the rows of large tables that have them. */
  addRefs(ids: Iterable<string>): WriteUnit
  /** A query of the texts in a JSON array. `param` is its placeholder. */
  elements(param: string): string
  /** A query of the hashes of parts that the deployments of a tag have. `param` is the placeholder of the tag. */
  deployedParts(param: string): string
  /** The tag or script of an id as large tables have it. `param` is the placeholder of the id. */
  ref(param: string): string
  /** The condition that a column of a large table is one of the ids in a JSON array. `table` has the ids, by default of tags and scripts. */
  isRefOf(column: string, param: string, table?: 'replay'): string
  /** The id of a column of a large table. */
  idOf(column: string, table?: 'replay'): string
  /**
   * A FROM item: the rows of the JSON array of arrays `param`. `columns`: their types; `ref` is the key of a script. `no`
   * is the number of a row.
   */
  tuples(param: string, name: string, columns: Readonly<Record<string, TupleType>>): string
  /** A query of the ids in a JSON array that large tables have, as `id` and `script`. */
  refsOf(param: string): string
  delivery: DeliveryWords
  /** The events of a range, those of one filter: a query of their keys, newest first, with its parameters. */
  selectEvents(range: EventRange, filter: EventFilter, limit: number): [sql: string, ...params: SqlParam[]]
  /**
   * Opens a scan of the deliveries of some states: each call reads the next places, newest first; none at the end. `after`
   * of the range is before the first.
   */
  scanPlaces(range: PlaceRange, keys: readonly StateKey[]): (limit: number) => Read<DeliveryPlace[]>
  /**
   * Blocks of positions with counts of their deliveries by state: their size, and a query of the sums from block `?2` to
   * `?3` of the tag `?1`. The row without script counts events. Absent where an index is counted.
   */
  funnelBlocks?: { size: number; select: string }
  /** The events of the tag `?1` with the user id `?2`, and those that matched this user by e-mail. */
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
