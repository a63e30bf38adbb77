import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { roleScopes } from '#account/roleScopes.ts'
import { isWellFormed } from '#account/token.ts'
import type { Role } from '#contract/account.ts'
import type { Scope } from '#contract/scopes.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { newId } from '#kit/id.ts'
import { makeSession } from './sessionCases.ts'
import { askTokenEndpoint } from './testServer.ts'

/** A stored access grant as text, and its scopes. No token may change an entry with `own`. */
export type Entry = { kept: string; scopes: readonly Scope[] | 'own' }
/** All access grants, by table and id. */
export type Ledger = Map<string, Entry>

type Row = Record<string, unknown>
type Table = { sql: string; scopes: (row: Row) => Entry['scopes'] }

const listed = (row: Row) => JSON.parse(`${row.scopes}`) as Scope[]
const ofRole = (row: Row) => roleScopes(row.role as Role)
const own = () => 'own' as const

/** Every table with access grants. */
const tables: Record<string, Table> = {
  token: { sql: 'SELECT id, scopes, expires_at, revoked_at FROM token', scopes: listed },
  application: {
    sql: 'SELECT id, name, redirect_uris, scopes, secret_hash, old_secret_hash, approved_at FROM application',
    scopes: listed,
  },
  invitation: { sql: 'SELECT id, role, hash, expires_at, person, application FROM invitation', scopes: ofRole },
  member: { sql: "SELECT team || ' ' || person AS id, role FROM team_member", scopes: ofRole },
  person: { sql: 'SELECT id, role, email_key, password FROM person', scopes: own },
  session: { sql: "SELECT person || ' ' || hex(hash) AS id, expires_at FROM session", scopes: own },
  emailChange: { sql: 'SELECT person AS id, sealed, link FROM email_change', scopes: own },
  signInLink: { sql: "SELECT person || ' ' || hex(hash) AS id FROM sign_in_link", scopes: own },
}

/** Reads access grants directly from the database file of an environment. */
export function openLedger(data: string): { read(): Ledger; close(): void } {
  const db = new DatabaseSync(join(data, 'production.db'), { readOnly: true })
  const statements = Object.entries(tables).map(([name, { sql, scopes }]) => ({ name, all: db.prepare(sql), scopes }))
  const version = db.prepare('PRAGMA data_version')
  const text = (_: string, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)
  const readAll = (): Ledger =>
    new Map(
      statements.flatMap(({ name, all, scopes }) =>
        all
          .all()
          .map((row) => [`${name} ${row.id}`, { kept: JSON.stringify(row, text), scopes: scopes(row) }] as const),
      ),
    )
  let last: { version: unknown; ledger: Ledger } | undefined
  return {
    /** Returns the same map while the file is unchanged. */
    read() {
      const now = version.get()?.data_version
      if (last?.version !== now) last = { version: now, ledger: readAll() }
      return last!.ledger
    },
    close: () => db.close(),
  }
}

/** The entries that differ between two readings, with the scopes before and after. */
export function changedBetween(before: Ledger, after: Ledger): { name: string; scopes: Entry['scopes'] }[] {
  if (before === after) return []
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (was?.kept === is?.kept) return []
    const found = [was?.scopes ?? [], is?.scopes ?? []]
    return [{ name, scopes: found.includes('own') ? 'own' : (found.flat() as Scope[]) }]
  })
}

/** All texts in a response. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/**
 * A connection for each call: if the machine suspends this process for longer than the server keeps an idle connection,
 * the next call would use one that the server is closing.
 */
const ownConnection = { connection: 'close' }

async function scopesOfToken(deps: ControlDeps, token: string): Promise<Scope[]> {
  const headers = { ...ownConnection, authorization: `Bearer ${token}` }
  const answer = await fetch(`${deps.baseUrl}/me`, { headers })
  return answer.status === 200 ? ((await answer.json()) as { scopes: Scope[] }).scopes : []
}

async function scopesOfSecret(deps: ControlDeps, clientSecret: string, applicationId: string): Promise<Scope[]> {
  const { body } = await askTokenEndpoint(deps, { applicationId, clientSecret }, { grant_type: 'client_credentials' })
  return typeof body.access_token === 'string' ? scopesOfToken(deps, body.access_token) : []
}

async function scopesOfInvitation(deps: ControlDeps, invitation: string): Promise<readonly Scope[]> {
  const createdAt = deps.clock.now()
  const personId = newId('per', createdAt)
  await deps.store.write([{ add: 'person', row: { personId, name: 'Ada', role: 'member', createdAt } }])
  const answer = await fetch(`${deps.baseUrl}/invitation/accept`, {
    method: 'POST',
    headers: {
      ...ownConnection,
      authorization: `Bearer ${await makeSession(deps, personId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ invitation }),
  })
  return answer.status === 200 ? roleScopes(((await answer.json()) as { role: Role }).role) : []
}

/** The scopes that a response gives to its reader, found by using each token, client secret and invitation in it. */
export async function redeemed(deps: ControlDeps, body: Record<string, unknown>): Promise<Scope[]> {
  const found = [...new Set(textsIn(body))].map((text) => {
    if (isWellFormed(text, 'production')) return scopesOfToken(deps, text)
    if (text.startsWith('aglet_secret_')) return scopesOfSecret(deps, text, `${body.applicationId}`)
    return text.includes('/account/invitation/') ? scopesOfInvitation(deps, text) : []
  })
  return (await Promise.all(found)).flat()
}
