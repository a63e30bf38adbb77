import type { Dialect } from '#store/sql/sql.ts'

const elements = (param: string) => `SELECT json_array_elements_text(${param}::json)`

export const postgresDialect: Dialect = {
  elements,
  deployedParts: (param) => `SELECT json_array_elements_text(parts::json) FROM deployment WHERE tag = ${param}`,
  ref: (param) => param,
  isRefOf: (column, param) => `${column} = ANY(ARRAY(${elements(param)}))`,
  idOf: (column) => column,
  eventsOfUser: { own: 'event WHERE tag = ?1 AND user_id = ?2', joined: 'event WHERE tag = ?1 AND joined = ?2' },
  longReadMs: Number.POSITIVE_INFINITY,
}
