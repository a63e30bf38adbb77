import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseCluster } from '../../scripts/cluster/databaseCluster.ts'

/** This version with one more migration, which adds a column with a default to each of the busiest tables. */
export type NextVersion = {
  /** Its shell script. */
  program: string
  /** The number of environments that it has migrated. */
  migrated(cluster: Pick<DatabaseCluster, 'sql'>): Promise<{ applied: number }>
  /** Reverts the migration, so that this version can start again. */
  undo(cluster: Pick<DatabaseCluster, 'sql'>): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const name = '9999-next-version.sql'
const tables = ['todo', 'delivery', 'tag_user', 'member']
const schemas = ['aglet_production', 'aglet_sandbox']
const addColumns = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN next_version int DEFAULT 1;\n`).join('')

/** Creates it in a folder. The installed packages are shared. */
export function copyAsNextVersion(folder: string): NextVersion {
  const copy = join(folder, 'next-version')
  if (!existsSync(copy)) {
    for (const part of ['src', 'scripts', 'dist', 'package.json', 'package-lock.json'])
      if (existsSync(join(root, part)))
        cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    writeFileSync(join(copy, 'src/postgres/migrations', name), addColumns)
  }
  return {
    program: join(copy, 'scripts/aglet.sh'),
    async migrated({ sql }) {
      const counts = await Promise.all(
        schemas.map((schema) => sql(`SELECT 1 FROM ${schema}.migration WHERE name = '${name}'`, 'aglet')),
      )
      return { applied: counts.flat().length }
    },
    async undo({ sql }) {
      for (const schema of schemas) {
        for (const table of tables) await sql(`ALTER TABLE ${schema}.${table} DROP COLUMN next_version`, 'aglet')
        await sql(`DELETE FROM ${schema}.migration WHERE name = '${name}'`, 'aglet')
      }
    },
  }
}
