import { createHash } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import { createLruCache } from '#kit/lruCache.ts'
import type { Provider } from '#provider/form/provider.ts'
import { buildTokenRequest, readToken, type TokenResult } from './accessToken.ts'
import type { SendRequest } from './send.ts'

/** A token belongs to a script and its secrets: changed secrets get a new token. */
export type TokenOwner = {
  scriptId: string
  providerId: string
  provider: Provider
  secrets: Readonly<Record<string, string>>
}

/** The access tokens of all scripts, in memory only. */
export type TokenCache = {
  /** Returns the cached token, or requests one. Concurrent callers share one request. */
  get(owner: TokenOwner): Promise<TokenResult>
  /** Removes a token that the vendor rejected, unless a newer one has replaced it. */
  drop(owner: TokenOwner, token: string): void
}

/** A token is replaced one minute before it expires, or a tenth of its lifetime before, if that is shorter. */
const safetyMarginMs = (lifetimeMs: number) => Math.min(60_000, lifetimeMs / 10)
/**
 * A refused token request is not repeated for this long, so that wrong credentials do not cost a request for each
 * event.
 */
const refusalCacheMs = 5_000
/** The limit of the cache. Beyond it, the least recently used token is removed. */
const maxTokens = 1_000

type Entry = { result: Promise<TokenResult>; token?: string; validUntil: number }

const keyOf = ({ scriptId, secrets }: TokenOwner) =>
  `${scriptId} ${createHash('sha256').update(JSON.stringify(secrets)).digest('base64url')}`

type TokenCacheDeps = { send: SendRequest; clock: Clock }

export function openTokenCache(deps: TokenCacheDeps): TokenCache {
  const { send, clock } = deps
  const entries = createLruCache<string, Entry>(maxTokens)

  async function requestToken({ providerId, provider, secrets }: TokenOwner): Promise<TokenResult> {
    const request = buildTokenRequest(providerId, provider, secrets, clock.now())
    if (!request) return { token: '', expiresAt: Number.POSITIVE_INFINITY }
    return readToken(provider, await send(request, provider.host), clock.now())
  }
  function setFreshness(entry: Entry, result: TokenResult): void {
    const now = clock.now()
    if ('refused' in result) entry.validUntil = now + (result.refused.retryAfterMs ?? refusalCacheMs)
    else {
      entry.token = result.token
      entry.validUntil = result.expiresAt - safetyMarginMs(result.expiresAt - now)
    }
  }
  function fetch(key: string, owner: TokenOwner): Entry {
    const entry: Entry = { result: requestToken(owner), validUntil: Number.POSITIVE_INFINITY }
    entry.result.then(
      (result) => setFreshness(entry, result),
      () => entries.get(key) === entry && entries.delete(key),
    )
    return entry
  }

  return {
    get(owner) {
      const key = keyOf(owner)
      const known = entries.get(key)
      const entry = known && known.validUntil > clock.now() ? known : fetch(key, owner)
      entries.set(key, entry)
      return entry.result
    },
    drop(owner, token) {
      const key = keyOf(owner)
      if (entries.get(key)?.token === token) entries.delete(key)
    },
  }
}
