import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { Clock } from '#kit/clock.ts'
import { createLruCache } from '#kit/lruCache.ts'
import type { Store, TokenRecord } from '#store/store.ts'
import { bearerChallenge, parseBearer } from './bearer.ts'
import type { Keyring } from './keyring.ts'
import type { AuthenticateToken, TeamAccess } from './teamAccess.ts'
import { isWellFormed } from './token.ts'

/** A valid token is cached for this time. A revocation must take effect within 5 s everywhere. */
const cacheMs = 1_000
const maxCached = 10_000

type CachedToken = { access: TeamAccess; token: TokenRecord; at: number }

/** Reads `Authorization: Bearer …` for one environment. Errors do not say why a token is invalid. */
export function createTokenAuthenticator(deps: {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'token'>
  keys: Pick<Keyring, 'hashToken' | 'findTeamKey'>
}): AuthenticateToken {
  // The key is the hash, so that no token is kept in memory.
  const cache = createLruCache<string, CachedToken>(maxCached)
  return async (authorization) => {
    const hash = deps.keys.hashToken(parseToken(authorization, deps.environment))
    const now = deps.clock.now()
    const name = hash.toString('latin1')
    const cached = cache.get(name)
    if (cached && isCached(cached, now) && isValid(cached.token, now)) return cached.access
    cache.delete(name)
    const token = await deps.store.token(hash)
    if (!token || !equalBytes(token.hash, hash) || !isValid(token, now))
      throw fault('tokenRefused', bearerChallenge('invalid_token'))
    const { tokenId, teamId, application, scopes } = token
    await deps.keys.findTeamKey(teamId)
    const access = { by: tokenId, teamId, application, scopes: new Set(scopes) }
    cache.set(name, { access, token, at: now })
    return access
  }
}

/** Also false if the clock was set back, which must not extend the cache time. */
const isCached = ({ at }: CachedToken, now: number) => now >= at && now - at < cacheMs

const isValid = ({ expiresAt, revokedAt }: TokenRecord, now: number) => revokedAt === undefined && now < expiresAt

function parseToken(authorization: string | undefined, environment: EnvironmentName): string {
  if (!authorization?.trim()) throw fault('tokenMissing', bearerChallenge())
  const token = parseBearer(authorization)
  if (!token || !isWellFormed(token, environment)) throw fault('tokenRefused', bearerChallenge('invalid_token'))
  return token
}
