/** The tables of counts by tag and minute, with their other key columns. Retention rolls them up. */
export const countTables = {
  event_count: 'name',
  delivery_count: 'script, name, status, reason',
  issue_count: 'name, path, message',
  refused_count: 'scope',
  latency_count: 'script, kind, bucket',
  intake_count: 'code',
  match_count: 'script, name, source, what',
}

export type CountTable = keyof typeof countTables
export const countTableNames = Object.keys(countTables) as CountTable[]
