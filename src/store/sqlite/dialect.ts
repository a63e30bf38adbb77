import type { Dialect } from '#store/sql/sql.ts'

export const sqliteDialect: Dialect = {
  elements: (param) => `SELECT value FROM json_each(${param})`,
  deployedParts: (param) => `SELECT each.value FROM deployment, json_each(parts) AS each WHERE tag = ${param}`,
  scriptOfDelivery: '(SELECT ref.id FROM ref WHERE ref.no = delivery.script)',
}
