import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { scopesOf } from '#account/role.ts'
import { isWellFormed } from '#account/token.ts'
import type { Role } from '#contract/account.ts'
import type { Scope } from '#contract/scopes.ts'
import type { ControlWorld } from '#control/world.ts'
import { newId } from '#kit/id.ts'
import { ask } from './place.ts'
import { makeSession } from './sessionCases.ts'

/** Something that lets somebody act, as it is kept, and the scopes that it stands for; `own` is no token's to change. */
export type Entry = { kept: string; scopes: readonly Scope[] | 'own' }
/** Everything of that sort, by table and id. */
export type Ledger = Map<string, Entry>

type Row = Record<string, unknown>
type Table = { sql: string; scopes: (row: Row) => Entry['scopes'] }

const listed = (row: Row) => JSON.parse(`${row.scopes}`) as Scope[]
const ofRole = (row: Row) => scopesOf(row.role as Role)
const own = () => 'own' as const

/** Every table that says who may act. */
const tables: Record<string, Table> = {
  token: { sql: 'SELECT id, scopes, expires_at, revoked_at FROM token', scopes: listed },
  application: {
    sql: 'SELECT id, name, redirect_uris, scopes, secret_hash, old_secret_hash, approved_at FROM application',
    scopes: listed,
  },
  invitation: { sql: 'SELECT id, role, hash, expires_at, person, application FROM invitation', scopes: ofRole },
  member: { sql: "SELECT team || ' ' || person AS id, role FROM member", scopes: ofRole },
  person: { sql: 'SELECT id, role, email_key, password FROM person', scopes: own },
  session: { sql: "SELECT person || ' ' || hex(hash) AS id, expires_at FROM session", scopes: own },
  emailChange: { sql: 'SELECT person AS id, sealed, link FROM email_change', scopes: own },
  signInLink: { sql: "SELECT person || ' ' || hex(hash) AS id FROM sign_in_link", scopes: own },
}

/** Reads who may act from the file of an environment, past the program that wrote it. */
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
    /** The same map as before while nothing was written to the file. */
    read() {
      const now = version.get()?.data_version
      if (last?.version !== now) last = { version: now, ledger: readAll() }
      return last!.ledger
    },
    close: () => db.close(),
  }
}

/** What differs between two readings: by name, and all scopes that it stood for before and stands for after. */
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

/** Every text of an answer, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

async function scopesOfToken(on: ControlWorld, token: string): Promise<Scope[]> {
  const answer = await fetch(`${on.baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } })
  return answer.status === 200 ? ((await answer.json()) as { scopes: Scope[] }).scopes : []
}

async function scopesOfSecret(on: ControlWorld, clientSecret: string, applicationId: string): Promise<Scope[]> {
  const { body } = await ask(on, { applicationId, clientSecret }, { grant_type: 'client_credentials' })
  return typeof body.access_token === 'string' ? scopesOfToken(on, body.access_token) : []
}

async function scopesOfInvitation(on: ControlWorld, invitation: string): Promise<readonly Scope[]> {
  const createdAt = on.clock.now()
  const personId = newId('per', createdAt)
  await on.store.write([{ add: 'person', row: { personId, name: 'Ada', role: 'member', createdAt } }])
  const answer = await fetch(`${on.baseUrl}/invitation/accept`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await makeSession(on, personId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ invitation }),
  })
  return answer.status === 200 ? scopesOf(((await answer.json()) as { role: Role }).role) : []
}

/** What an answer really lets its reader do: each token, client secret and invitation in it is used. */
export async function redeemed(on: ControlWorld, body: Record<string, unknown>): Promise<Scope[]> {
  const found = textsIn(body).map((text) => {
    if (isWellFormed(text, 'production')) return scopesOfToken(on, text)
    if (text.startsWith('aglet_secret_')) return scopesOfSecret(on, text, `${body.applicationId}`)
    return text.includes('/account/invitation/') ? scopesOfInvitation(on, text) : []
  })
  return (await Promise.all(found)).flat()
}
