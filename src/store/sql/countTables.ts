/** The tables of counts by tag and minute, with the other columns of their keys. Retention rolls them up. */
export const countTables = {
  event_count: { name: 'text' },
  delivery_count: { script: 'ref', name: 'text', status: 'text', reason: 'text' },
  issue_count: { name: 'text', path: 'text', message: 'text' },
  refused_count: { scope: 'text' },
  latency_count: { script: 'ref', kind: 'int8', bucket: 'int8' },
  intake_count: { code: 'text' },
  match_count: { script: 'ref', name: 'text', source: 'int8', what: 'text' },
} as const

export type CountTable = keyof typeof countTables
export const countTableNames = Object.keys(countTables) as CountTable[]
