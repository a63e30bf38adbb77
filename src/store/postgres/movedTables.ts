/** A table of the SQLite store, and the table of PostgreSQL into which its rows are moved. */
export type MovedTable = {
  from: string
  to: string
  /** What stands instead of a column: another name, and an expression of SQLite. */
  columns?: Readonly<Record<string, { as?: string; sql?: string }>>
  /** Columns that only PostgreSQL has, by expressions of SQLite. */
  added?: Readonly<Record<string, string>>
  /** Columns that only SQLite has. */
  left?: readonly string[]
}

const unchanged = (...names: readonly string[]): MovedTable[] => names.map((name) => ({ from: name, to: name }))
const userId = { user: { as: 'user_id' } }

/** The id of a delivery, by the place of its event and the number of its script. */
const idOf = (table: string) => `(
  SELECT delivery_id(event.received_at, ${table}.position, ${table}.idx, ref.id) FROM ref, event
  WHERE ref.no = ${table}.script AND event.position = ${table}.position AND event.idx = ${table}.idx AND event.tag = (
    SELECT tag FROM delivery AS own
    WHERE own.position = ${table}.position AND own.idx = ${table}.idx AND own.script = ${table}.script))`
const nameOf = `(
  SELECT name FROM event
  WHERE event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx)`

/** In the order of the foreign keys. */
export const movedTables: readonly MovedTable[] = [
  ...unchanged('team', 'person', 'token', 'tag', 'script', 'secret_version', 'deployment', 'snapshot_part'),
  ...unchanged('host_claim', 'hook'),
  ...unchanged('sealing_key', 'setting', 'policy', 'acceptance', 'audit', 'team_member', 'invitation', 'sign_in_link'),
  ...unchanged('session', 'device', 'email_change', 'application', 'artifact', 'used', 'alert', 'alert_sending'),
  ...unchanged('contact_point', 'alert_rule', 'incident'),
  ...unchanged('webhook_run', 'webhook_run_event'),
  ...unchanged('order_outcome', 'shop_order', 'shop_order_name', 'purchase', 'order_payload', 'order_payload_person'),
  ...unchanged('tag_user', 'email_user', 'custom_user'),
  ...unchanged('event_count', 'delivery_count', 'issue_count', 'counted_name', 'counted_day', 'refused_count'),
  ...unchanged('intake_count', 'latency_count', 'refused_call', 'seen_caller', 'event_repeat'),
  ...unchanged('match_count', 'match_example'),
  ...unchanged('bodies'),
  { from: 'event', to: 'event', columns: { ...userId, order_hash: { sql: "nullif(lower(hex(order_hash)), '')" } } },
  ...unchanged('replay'),
  {
    from: 'delivery',
    to: 'delivery',
    columns: {
      replay: { sql: '(SELECT id FROM replay WHERE no = delivery.replay)' },
      provider: { sql: '(SELECT id FROM ref WHERE no = delivery.provider)' },
    },
    added: { id: idOf('delivery'), name: nameOf },
  },
  {
    from: 'attempt',
    to: 'attempt',
    added: { delivery: idOf('attempt') },
    left: ['position', 'idx', 'script'],
  },
  { from: 'held', to: 'held', columns: userId },
  ...unchanged('channel_pause'),
]

/**
 * Tables whose rows are not moved, with the reason. `ref` numbers ids, which PostgreSQL stores as they are; the names in
 * `own_name` are in the code; attempts to sign in count for 15 minutes; `fold` is a place in a log; PostgreSQL
 * counts a funnel in its rows; the others are SQLite's own.
 */
export const unmovedTables: readonly string[] = [
  'ref',
  'fold',
  'funnel_count',
  'own_name',
  'sign_in_attempt',
  'migration',
  'sqlite_sequence',
]
