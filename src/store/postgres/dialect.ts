import type { Dialect } from '#store/sql/sql.ts'

export const postgresDialect: Dialect = {
  elements: (param) => `SELECT json_array_elements_text(${param}::json)`,
  deployedParts: (param) => `SELECT json_array_elements_text(parts::json) FROM deployment WHERE tag = ${param}`,
  scriptOfDelivery: 'delivery.script',
}
