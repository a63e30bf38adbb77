import type { Unit } from '#kit/units.ts'
import type { Change } from '#store/store.ts'
import { refOf } from './refs.ts'

/** A secret knows its script alone, and a script may be gone while a deployment still has it. */
const scriptsOfTag = `
  SELECT id FROM script WHERE tag = ?1 UNION
  SELECT each.value ->> 'scriptId' FROM deployment, json_each(deployment.snapshot, '$.scripts') AS each WHERE tag = ?1`

/** Rows that hang on others go first. */
const ofTag = [
  `DELETE FROM secret_version WHERE script IN (${scriptsOfTag})`,
  'DELETE FROM script WHERE tag = ?',
  'DELETE FROM deployment WHERE tag = ?',
  'DELETE FROM host WHERE tag = ?',
  `DELETE FROM email_user WHERE tag = ${refOf}`,
  `DELETE FROM custom WHERE tag = ${refOf}`,
  `DELETE FROM user WHERE tag = ${refOf}`,
  'DELETE FROM tag WHERE id = ?',
]

export const dropTag = ({ tagId }: Extract<Change, { drop: 'tag' }>): Unit =>
  ofTag.map((sql) => ({ sql, rows: [[tagId]] }))

export const putHosts = ({ tagId, hosts }: Extract<Change, { put: 'hosts' }>): Unit => [
  { sql: 'DELETE FROM host WHERE tag = ?', rows: [[tagId]] },
  { sql: 'INSERT INTO host (name, tag) VALUES (?, ?)', rows: hosts.map((host) => [host, tagId]) },
]
