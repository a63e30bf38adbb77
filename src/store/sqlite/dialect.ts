import type { Dialect } from '#store/sql/sql.ts'

export const sqliteDialect: Dialect = {
  elements: (param) => `SELECT value FROM json_each(${param})`,
  deployedScripts: (param) => `
    SELECT each.value ->> 'scriptId' FROM deployment, json_each(deployment.snapshot, '$.scripts') AS each
    WHERE tag = ${param}`,
}
