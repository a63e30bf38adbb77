import type { Dialect } from '#store/sql/sql.ts'

export const postgresDialect: Dialect = {
  elements: (param) => `SELECT json_array_elements_text(${param}::json)`,
  deployedScripts: (param) => `SELECT script FROM deployed_script WHERE tag = ${param}`,
}
