import { openReader } from '#kit/sqlite.ts'
import { DiskProblem, NotUnique, openWriter, type Writer } from '#kit/writer.ts'
import { defaultQueryLimits, type QueryLimits } from '#store/journalQueries.ts'
import { type AuditFilter, Conflict, type Store, type StoreChange, Unwritable } from '#store/store.ts'
import { createAccountStore } from './accountStore.ts'
import { createAlertStore } from './alertStore.ts'
import { changeStatements } from './changeStatements.ts'
import { createJournal } from './journal.ts'
import { openPlannedDeliveries } from './plannedDeliveries.ts'
import { openQueries } from './queryThreads.ts'
import { createReplayStore } from './replayStore.ts'
import {
  acceptance,
  audit,
  deployment,
  hook,
  person,
  policy,
  script,
  sealingKey,
  secret,
  tag,
  team,
  token,
} from './rowMappings.ts'
import { createRunStore } from './runTables.ts'
import { createSqlReader, readPage, type SqlReader } from './sqlReader.ts'
import { hostClaimsOf } from './tagStatements.ts'
import { createUserStore } from './userStore.ts'

const uniqueByColumns: Readonly<Record<string, Conflict['unique']>> = {
  'tag.team, tag.name': 'tag.name',
  'script.tag, script.name': 'script.name',
  'deployment.tag, deployment.number': 'deployment.number',
  'application.team, application.name': 'application.name',
  'person.email_key': 'person.email',
  'used.hash': 'used',
}

async function writeChanges(changes: readonly StoreChange[], writer: Writer): Promise<void> {
  try {
    await writer.write(changes.flatMap(changeStatements))
  } catch (error) {
    if (error instanceof DiskProblem) throw new Unwritable(error.message, { cause: error })
    throw error instanceof NotUnique ? new Conflict(uniqueByColumns[error.columns] ?? 'other') : error
  }
}

/** The newest number of each tag. */
const selectNewestNumbers = 'SELECT tag, max(number) AS number FROM deployment GROUP BY tag'

type StoreReads = Omit<
  Store,
  'write' | 'accounts' | 'journal' | 'queries' | 'replays' | 'alerts' | 'runs' | 'users' | 'close'
>

/** Reads the first row by a mapping; undefined if there is none. */
const readFirst =
  (read: SqlReader) =>
  <Noun>({ read: as }: { read(row: Record<string, unknown>): Noun }) =>
  async (sql: string, ...params: (string | number | Uint8Array)[]) => {
    const row = read.one(sql, ...params)
    return row && as(row)
  }

function deploymentReads(read: SqlReader): Pick<StoreReads, 'deployment' | 'deploymentAt' | 'history' | 'deployments'> {
  const first = readFirst(read)
  return {
    deployment: (tagId, number) =>
      number === undefined
        ? first(deployment)('SELECT * FROM deployment WHERE tag = ? ORDER BY number DESC LIMIT 1', tagId)
        : first(deployment)('SELECT * FROM deployment WHERE tag = ? AND number = ?', tagId, number),
    deploymentAt: (tagId, at) =>
      first(deployment)(
        'SELECT * FROM deployment WHERE tag = ? AND created_at <= ? ORDER BY number DESC LIMIT 1',
        tagId,
        at,
      ),
    history: async (tagId, page) =>
      readPage(
        read,
        { sql: 'SELECT * FROM deployment WHERE tag = ?', params: [tagId], columns: ['number'] },
        page,
        deployment.read,
      ),
    deployments: async () =>
      read
        .all(`SELECT * FROM deployment JOIN (${selectNewestNumbers}) USING (tag, number) ORDER BY no`)
        .map(deployment.read),
  }
}

const selectValidTokens = 'SELECT * FROM token WHERE team = ? AND revoked_at IS NULL AND expires_at > ? ORDER BY no'

function createReads(read: SqlReader): StoreReads {
  const first = readFirst(read)
  return {
    team: (teamId) => first(team)('SELECT * FROM team WHERE id = ?', teamId),
    teams: async () => read.all('SELECT * FROM team ORDER BY no').map(team.read),
    person: (role) => first(person)('SELECT * FROM person WHERE role = ? ORDER BY no LIMIT 1', role),
    token: (hash) => first(token)('SELECT * FROM token WHERE hash = ?', hash),
    tokenById: (tokenId) => first(token)('SELECT * FROM token WHERE id = ?', tokenId),
    validTokens: async (teamId, nowMs) => read.all(selectValidTokens, teamId, nowMs).map(token.read),
    tag: (tagId) => first(tag)('SELECT * FROM tag WHERE id = ?', tagId),
    tags: async (teamId, page) =>
      readPage(read, { sql: 'SELECT * FROM tag WHERE team = ?', params: [teamId], columns: ['no'] }, page, tag.read),
    script: (scriptId) => first(script)('SELECT * FROM script WHERE id = ?', scriptId),
    scripts: async (tagId, page) =>
      readPage(
        read,
        { sql: 'SELECT * FROM script WHERE tag = ?', params: [tagId], columns: ['no'] },
        page,
        script.read,
      ),
    secret: ({ secretId, version }) =>
      first(secret)('SELECT * FROM secret_version WHERE secret = ? AND version = ?', secretId, version),
    hostClaims: hostClaimsOf(read),
    ...deploymentReads(read),
    hook: (hookId) => first(hook)('SELECT * FROM hook WHERE id = ?', hookId),
    hooks: async (teamId, page) =>
      readPage(read, { sql: 'SELECT * FROM hook WHERE team = ?', params: [teamId], columns: ['no'] }, page, hook.read),
    sealingKeys: async () => read.all('SELECT * FROM sealing_key ORDER BY no').map(sealingKey.read),
    setting: async (name) => {
      const row = read.one('SELECT value FROM setting WHERE name = ?', name)
      return row && String(row.value)
    },
    policies: async () => read.all('SELECT * FROM policy ORDER BY no').map(policy.read),
    acceptances: async (teamId) =>
      read.all('SELECT * FROM acceptance WHERE team = ? ORDER BY no', teamId).map(acceptance.read),
    audit: async (teamId, page, filter = {}) => readPage(read, auditSelect(teamId, filter), page, audit.read),
  }
}

/** The audit entries of a team that match a filter. */
function auditSelect(teamId: string, { by, what, object, since, before }: AuditFilter) {
  const conditions = [
    ['team = ?', teamId],
    ['by = ?', by],
    ['what = ?', what],
    ['object = ?', object],
    ['at >= ?', since],
    ['at < ?', before],
  ].filter((each): each is [string, string | number] => each[1] !== undefined)
  const sql = `SELECT * FROM audit WHERE ${conditions.map(([text]) => text).join(' AND ')}`
  return { sql, params: conditions.map(([, value]) => value), columns: ['no'] as const }
}

/** Opens the embedded store in one file. Throws an error for the operator if the file cannot be used. */
export async function openSqliteStore(path: string, limits: QueryLimits = defaultQueryLimits): Promise<Store> {
  const writer = await openWriter(path, new URL('./migrations/', import.meta.url))
  const db = openReader(path)
  const read = createSqlReader(db)
  const planned = openPlannedDeliveries(writer)
  const queries = openQueries(path, limits, planned.storeAll)
  return {
    ...createReads(read),
    queries: queries.queriesOf,
    write: (changes) => writeChanges(changes, writer),
    accounts: createAccountStore(read),
    journal: createJournal(read, writer, planned),
    replays: createReplayStore(read, writer, planned),
    alerts: createAlertStore(read, writer),
    runs: createRunStore(read),
    users: createUserStore(read, writer),
    async close() {
      await queries.close()
      // The writer's connection closes last: SQLite then checkpoints the write-ahead log and deletes it.
      if (db.isOpen) db.close()
      await writer.close()
    },
  }
}
