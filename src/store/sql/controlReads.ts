import type { SqlParam } from '#kit/writeBatch.ts'
import type { AuditFilter, ControlStore, Store } from '#store/store.ts'
import { deploymentReads } from './deploymentReads.ts'
import type { Dialect } from './dialect.ts'
import { type PageSelect, readPageOf, rowsOf } from './page.ts'
import type { RowMapping } from './rowMappings.ts'
import { script } from './scriptStatements.ts'
import type { SqlReads } from './sql.ts'
import { acceptance, audit, hook, hostClaim, person, policy, sealingKey, secret, tag, team, token } from './tables.ts'

const hostClaimsOf =
  (reads: SqlReads): Store['hostClaims'] =>
  async (selector) => {
    const all = 'SELECT * FROM host_claim'
    const order = 'ORDER BY name, claimed_at, tag'
    if (selector === 'all') return (await reads.all(`${all} ${order}`)).map(hostClaim.read)
    const [column, value] = 'host' in selector ? ['name', selector.host] : ['tag', selector.tagId]
    return (await reads.all(`${all} WHERE ${column} = ? ${order}`, value!)).map(hostClaim.read)
  }

type ControlReads = Omit<ControlStore, 'accounts' | 'alerts' | 'attempts' | 'incidents'>
type ReadAs<Noun> = Pick<RowMapping<Noun>, 'read'>

/** Undefined if there is no row. */
export const readFirst =
  (reads: SqlReads) =>
  async <Noun>(as: ReadAs<Noun>, sql: string, ...params: SqlParam[]): Promise<Noun | undefined> => {
    const row = await reads.one(sql, ...params)
    return row && as.read(row)
  }

export const readAll =
  (reads: SqlReads) =>
  async <Noun>(as: ReadAs<Noun>, sql: string, ...params: SqlParam[]): Promise<Noun[]> =>
    (await reads.all(sql, ...params)).map(as.read)

const selectValidTokens = 'SELECT * FROM token WHERE team = ? AND revoked_at IS NULL AND expires_at > ? ORDER BY no'

/** Each script with the part that holds its settings. */
const selectScripts = `
  SELECT script.*, (SELECT body FROM snapshot_part WHERE snapshot_part.tag = script.tag AND hash = part) AS body
  FROM script`

export function createControlReads(reads: SqlReads, dialect: Dialect): ControlReads {
  const [first, all] = [readFirst(reads), readAll(reads)]
  return {
    team: (teamId) => first(team, 'SELECT * FROM team WHERE id = ?', teamId),
    teams: () => all(team, 'SELECT * FROM team ORDER BY no'),
    person: (role) => first(person, 'SELECT * FROM person WHERE role = ? ORDER BY no LIMIT 1', role),
    token: (hash) => first(token, 'SELECT * FROM token WHERE hash = ?', hash),
    tokenById: (tokenId) => first(token, 'SELECT * FROM token WHERE id = ?', tokenId),
    validTokens: (teamId, nowMs) => all(token, selectValidTokens, teamId, nowMs),
    tag: (tagId) => first(tag, 'SELECT * FROM tag WHERE id = ?', tagId),
    tags: (teamId, page) => readPageOf(reads, rowsOf('tag', 'team', teamId), page, tag.read),
    script: (scriptId) => first(script, `${selectScripts} WHERE id = ?`, scriptId),
    pausedScripts: async () => (await reads.all('SELECT id FROM script WHERE paused = 1')).map(({ id }) => String(id)),
    scripts: (tagId, page) =>
      readPageOf(
        reads,
        { ...rowsOf('script', 'tag', tagId), sql: `${selectScripts} WHERE tag = ?` },
        page,
        script.read,
      ),
    secret: ({ secretId, version }) =>
      first(secret, 'SELECT * FROM secret_version WHERE secret = ? AND version = ?', secretId, version),
    hostClaims: hostClaimsOf(reads),
    ...deploymentReads(reads, dialect),
    hook: (hookId) => first(hook, 'SELECT * FROM hook WHERE id = ?', hookId),
    hooks: (teamId, page) => readPageOf(reads, rowsOf('hook', 'team', teamId), page, hook.read),
    sealingKeys: () => all(sealingKey, 'SELECT * FROM sealing_key ORDER BY no'),
    setting: (name) => first({ read: ({ value }) => String(value) }, 'SELECT value FROM setting WHERE name = ?', name),
    policies: () => all(policy, 'SELECT * FROM policy ORDER BY no'),
    acceptances: (teamId) => all(acceptance, 'SELECT * FROM acceptance WHERE team = ? ORDER BY no', teamId),
    audit: (teamId, page, filter = {}) => readPageOf(reads, selectAudit(teamId, filter), page, audit.read),
  }
}

function selectAudit(teamId: string, { by, what, object, since, before }: AuditFilter): PageSelect {
  const conditions = [
    ['team = ?', teamId],
    ['by = ?', by],
    ['what = ?', what],
    ['object = ?', object],
    ['at >= ?', since],
    ['at < ?', before],
  ].filter((each): each is [string, string | number] => each[1] !== undefined)
  const sql = `SELECT * FROM audit WHERE ${conditions.map(([text]) => text).join(' AND ')}`
  return { sql, params: conditions.map(([, value]) => value), columns: ['no'] }
}
