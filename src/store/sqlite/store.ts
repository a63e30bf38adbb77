import { openReader } from '#kit/sqlite.ts'
import { DiskProblem, NotUnique, openWriter, type Writer } from '#kit/writer.ts'
import { type QueryLimits, usualQueryLimits } from '#store/queries.ts'
import { type Change, Conflict, type Store, Unwritable } from '#store/store.ts'
import { accountsOf } from './accounts.ts'
import { alertsOf } from './alerts.ts'
import { statementsOf } from './changes.ts'
import { journalOf } from './journal.ts'
import { openQueries } from './queryThreads.ts'
import { type Read, reading, readPage } from './read.ts'
import { replaysOf } from './replays.ts'
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
} from './rows.ts'
import { hostClaimsOf } from './tags.ts'
import { usersOf } from './users.ts'

const named: Readonly<Record<string, Conflict['unique']>> = {
  'tag.team, tag.name': 'tag.name',
  'script.tag, script.name': 'script.name',
  'deployment.tag, deployment.number': 'deployment.number',
  'application.team, application.name': 'application.name',
  'person.email_key': 'person.email',
  'used.hash': 'used',
}

async function write(changes: readonly Change[], writer: Writer): Promise<void> {
  try {
    await writer.write(changes.flatMap(statementsOf))
  } catch (error) {
    if (error instanceof DiskProblem) throw new Unwritable(error.message, { cause: error })
    throw error instanceof NotUnique ? new Conflict(named[error.columns] ?? 'other') : error
  }
}

/** The newest number of each tag. */
const newest = 'SELECT tag, max(number) AS number FROM deployment GROUP BY tag'

type Reads = Omit<Store, 'write' | 'accounts' | 'journal' | 'queries' | 'replays' | 'alerts' | 'users' | 'close'>

/** What the first row is read as; undefined where there is none. */
const firstOf =
  (read: Read) =>
  <Noun>({ read: as }: { read(row: Record<string, unknown>): Noun }) =>
  async (sql: string, ...params: (string | number | Uint8Array)[]) => {
    const row = read.one(sql, ...params)
    return row && as(row)
  }

function deploymentReads(read: Read): Pick<Reads, 'deployment' | 'history' | 'deployments'> {
  const first = firstOf(read)
  return {
    deployment: (tagId, number) =>
      number === undefined
        ? first(deployment)('SELECT * FROM deployment WHERE tag = ? ORDER BY number DESC LIMIT 1', tagId)
        : first(deployment)('SELECT * FROM deployment WHERE tag = ? AND number = ?', tagId, number),
    history: async (tagId, page) =>
      readPage(
        read,
        { sql: 'SELECT * FROM deployment WHERE tag = ?', params: [tagId], columns: ['number'] },
        page,
        deployment.read,
      ),
    deployments: async () =>
      read.all(`SELECT * FROM deployment JOIN (${newest}) USING (tag, number) ORDER BY no`).map(deployment.read),
  }
}

function readsOf(read: Read): Reads {
  const first = firstOf(read)
  return {
    team: (teamId) => first(team)('SELECT * FROM team WHERE id = ?', teamId),
    teams: async () => read.all('SELECT * FROM team ORDER BY no').map(team.read),
    person: (role) => first(person)('SELECT * FROM person WHERE role = ? ORDER BY no LIMIT 1', role),
    token: (hash) => first(token)('SELECT * FROM token WHERE hash = ?', hash),
    tokenById: (tokenId) => first(token)('SELECT * FROM token WHERE id = ?', tokenId),
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
    audit: async (teamId, page) =>
      readPage(
        read,
        { sql: 'SELECT * FROM audit WHERE team = ?', params: [teamId], columns: ['no'] },
        page,
        audit.read,
      ),
  }
}

/** The embedded store, in one file. Throws a sentence when the file cannot be used. */
export async function openSqliteStore(path: string, limits: QueryLimits = usualQueryLimits): Promise<Store> {
  const writer = await openWriter(path, new URL('./migrations/', import.meta.url))
  const db = openReader(path)
  const read = reading(db)
  const queries = openQueries(path, limits)
  return {
    ...readsOf(read),
    queries: queries.queriesOf,
    write: (changes) => write(changes, writer),
    accounts: accountsOf(read),
    journal: journalOf(read, writer),
    replays: replaysOf(read, writer),
    alerts: alertsOf(read, writer),
    users: usersOf(read, writer),
    async close() {
      await queries.close()
      // The writer's connection goes last: it then copies its log into the file and takes it away.
      if (db.isOpen) db.close()
      await writer.close()
    },
  }
}
