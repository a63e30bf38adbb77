import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { everyScope, type Scope, scopes } from '#contract/scopes.ts'
import { base62 } from '#kit/base62.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'
import { auditOf } from './world.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const unitsMs: Record<string, number> = { m: minuteMs, h: 60 * minuteMs, d: dayMs }
const defaultLifeMs = 90 * dayMs

const prefixes = { production: 'aglet_live_', sandbox: 'aglet_test_' } as const

/** What tokens are made and revoked on. */
export type TokenWorld = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'team' | 'tokenById' | 'write'>
  keys: Keyring
}

/** A new access token: `aglet_live_` or `aglet_test_`, 256 random bits, and the CRC-32 of all that, both in base62. */
export function mintToken(environment: EnvironmentName): string {
  const body = prefixes[environment] + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)
  return body + checksum(body)
}

/** Could this be a token of the environment? Needs no store: junk and tokens of the other environment end here. */
export const isWellFormed = (text: string, environment: EnvironmentName): boolean =>
  text.length === 60 &&
  text.startsWith(prefixes[environment]) &&
  /^[0-9A-Za-z_]+$/.test(text) &&
  text.endsWith(checksum(text.slice(0, -6)))

const checksum = (body: string) => base62(BigInt(crc32(body)), 6)

/**
 * Makes an access token of a team; it is shown here once and kept as a hash. Without `scopes` it may do everything a
 * customer may; `expiresInMs` is 1 minute to 365 days, 90 days when it is not said. Throws the faults teamUnknown and
 * badRequest. `by` is `operator` or the id of the token that asked, `from` the address it asked from.
 */
export async function createToken(
  on: TokenWorld,
  asked: { teamId: string; application?: string; scopes?: readonly string[]; expiresInMs?: number },
  by: string,
  from?: string,
): Promise<{ token: string; tokenId: string }> {
  const granted = readScopes(asked.scopes ?? scopes)
  const lifeMs = readLife(asked.expiresInMs ?? defaultLifeMs)
  const { teamId, application = 'operator' } = asked
  if (!(await on.store.team(teamId))) throw fault('teamUnknown')
  const now = on.clock.now()
  const token = mintToken(on.environment)
  const tokenId = newId('tok', now)
  const row = { tokenId, teamId, application, hash: on.keys.tokenHash(token), scopes: granted, createdAt: now }
  await on.store.write([
    { add: 'token', row: { ...row, expiresAt: now + lifeMs } },
    auditOf(
      on,
      { by, from },
      { what: 'createToken', teamId, object: tokenId, after: { application, scopes: granted } },
    ),
  ])
  return { token, tokenId }
}

/** Ends a token at once; a token that was revoked before stays as it is. Throws the fault tokenUnknown. */
export async function revokeToken(on: TokenWorld, tokenId: string, by: string, from?: string): Promise<void> {
  const token = await on.store.tokenById(tokenId)
  if (!token) throw fault('tokenUnknown')
  if (token.revokedAt !== undefined) return
  const { teamId, application, scopes: granted } = token
  const before = { application, scopes: granted }
  await on.store.write([
    { revoke: 'token', tokenId, at: on.clock.now() },
    auditOf(on, { by, from }, { what: 'deleteToken', teamId, object: tokenId, before }),
  ])
}

/** `30m`, `12h`, `90d` in ms. Throws the fault badRequest for anything else. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? []
  if (!count || !unit) throw refused('expires', `${JSON.stringify(text)} is no duration: write 30m, 12h or 90d.`)
  return Number(count) * unitsMs[unit]!
}

/** In the order of the contract, each once. */
function readScopes(asked: readonly string[]): Scope[] {
  const unknown = asked.filter((scope) => !everyScope.some((known) => known === scope))
  if (unknown.length > 0)
    throw refused('scopes', `Unknown scope ${unknown.join(', ')}. The scopes are ${scopes.join(', ')}.`)
  if (asked.length === 0) throw refused('scopes', 'Name at least one scope, or leave the list out to grant them all.')
  return everyScope.filter((scope) => asked.includes(scope))
}

function readLife(lifeMs: number): number {
  if (lifeMs >= minuteMs && lifeMs <= 365 * dayMs) return lifeMs
  throw refused('expires', 'An access token lives from 1 minute to 365 days: write 30m, 12h or 90d.')
}

const refused = (path: string, message: string) =>
  fault('badRequest', { message, attributes: { issues: [{ path, message }] } })
