import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { everyScope, type Scope, scopes } from '#contract/scopes.ts'
import { base62 } from '#kit/base62.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Store } from '#store/store.ts'
import { auditChange } from './accountDeps.ts'
import type { Keyring } from './keyring.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const unitsMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: dayMs }
const defaultLifetimeMs = 90 * dayMs

const prefixes = { production: 'aglet_live_', sandbox: 'aglet_test_' } as const

export type TokenDeps = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'team' | 'tokenById' | 'write'>
  keys: Keyring
}

/** A new access token: `aglet_live_` or `aglet_test_`, 256 random bits, and the CRC-32 of both, in base62. */
export function generateToken(environment: EnvironmentName): string {
  const body = prefixes[environment] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)
  return body + checksum(body)
}

/** True if the text has the format of a token of this environment. Rejects junk and other tokens without a lookup. */
export const isWellFormed = (text: string, environment: EnvironmentName): boolean =>
  text.length === 60 &&
  text.startsWith(prefixes[environment]) &&
  /^[0-9A-Za-z_]+$/.test(text) &&
  text.endsWith(checksum(text.slice(0, -6)))

const checksum = (body: string) => base62(BigInt(crc32(body)), 6)

/**
 * Creates an access token of a team. Only this result contains it; its hash is stored. `scopes` defaults to every
 * customer scope; `expiresInMs` is 1 minute to 365 days, by default 90 days. `by` is `operator` or the id of the
 * calling token, `from` its IP address. Throws teamUnknown and badRequest.
 */
export async function createToken(
  deps: TokenDeps,
  request: { teamId: string; application?: string; scopes?: readonly string[]; expiresInMs?: number },
  by: string,
  from?: string,
): Promise<{ token: string; tokenId: string }> {
  const granted = parseScopes(request.scopes ?? scopes)
  const lifeMs = checkLifetime(request.expiresInMs ?? defaultLifetimeMs)
  const { teamId, application = 'operator' } = request
  if (!(await deps.store.team(teamId))) throw fault('teamUnknown')
  const now = deps.clock.now()
  const token = generateToken(deps.environment)
  const tokenId = newId('tok', now)
  const row = { tokenId, teamId, application, hash: deps.keys.hashToken(token), scopes: granted, createdAt: now }
  await deps.store.write([
    { add: 'token', row: { ...row, expiresAt: now + lifeMs } },
    auditChange(
      deps,
      { by, from },
      { what: 'createToken', teamId, object: tokenId, after: { application, scopes: granted } },
    ),
  ])
  return { token, tokenId }
}

/** Revokes a token at once. Idempotent. Throws tokenUnknown. */
export async function revokeToken(deps: TokenDeps, tokenId: string, by: string, from?: string): Promise<void> {
  const token = await deps.store.tokenById(tokenId)
  if (!token) throw fault('tokenUnknown')
  if (token.revokedAt !== undefined) return
  const { teamId, application, scopes: granted } = token
  const before = { application, scopes: granted }
  await deps.store.write([
    { revoke: 'token', tokenId, at: deps.clock.now() },
    auditChange(deps, { by, from }, { what: 'deleteToken', teamId, object: tokenId, before }),
  ])
}

/** `30m`, `12h`, `90d` in ms. Throws badRequest for anything else. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? []
  if (!count || !unit)
    throw invalidField('expires', `${JSON.stringify(text)} is not a duration. Write, for example, 30m, 12h or 90d.`)
  return Number(count) * unitsMs[unit]!
}

/** The scopes in the order of the contract, without duplicates. */
function parseScopes(request: readonly string[]): Scope[] {
  const unknown = request.filter((scope) => !everyScope.some((valid) => valid === scope))
  if (unknown.length > 0)
    throw invalidField('scopes', `Unknown scope ${unknown.join(', ')}. The scopes are ${scopes.join(', ')}.`)
  if (request.length === 0)
    throw invalidField('scopes', 'Name at least one scope, or omit the list to grant every customer scope.')
  return everyScope.filter((scope) => request.includes(scope))
}

function checkLifetime(lifeMs: number): number {
  if (lifeMs >= minuteMs && lifeMs <= 365 * dayMs) return lifeMs
  throw invalidField(
    'expires',
    'An access token must be valid for 1 minute to 365 days. Write, for example, 30m, 12h or 90d.',
  )
}

const invalidField = (path: string, message: string) =>
  fault('badRequest', { message, attributes: { issues: [{ path, message }] } })
