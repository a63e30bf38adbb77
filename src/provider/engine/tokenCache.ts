import { createHash } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import type { Provider } from '#provider/form/provider.ts'
import { buildTokenRequest, readToken, type TokenResult } from './accessToken.ts'
import type { SendRequest } from './send.ts'

/** Of which script, with which secrets: another secret is another token. */
export type TokenOwner = {
  scriptId: string
  providerId: string
  provider: Provider
  secrets: Readonly<Record<string, string>>
}

/** The tokens of all scripts, in memory alone. */
export type TokenCache = {
  /** The script's token, fetched where none is at hand that lives on for a while; who asks meanwhile waits for the same answer. */
  get(of: TokenOwner): Promise<TokenResult>
  /** The vendor refused this token: it is fetched anew. One that was fetched since stays. */
  drop(of: TokenOwner, token: string): void
}

/** A token is not used in the last minute of its life, or the last tenth of a short one. */
const spareMs = (lifeMs: number) => Math.min(60_000, lifeMs / 10)
/** So long a refusal counts for all that wait, so that a wrong key does not cost a call for each of them. */
const refusalMs = 5_000
/** How many are held; the one that was asked for longest ago goes first. */
const most = 1_000

type Held = { fetching: Promise<TokenResult>; token?: string; freshUntil: number }

const keyOf = ({ scriptId, secrets }: TokenOwner) =>
  `${scriptId} ${createHash('sha256').update(JSON.stringify(secrets)).digest('base64url')}`

export function openTokenCache(on: { send: SendRequest; clock: Clock }): TokenCache {
  const held = new Map<string, Held>()

  async function ask({ providerId, provider, secrets }: TokenOwner): Promise<TokenResult> {
    const request = buildTokenRequest(providerId, provider, secrets, on.clock.now())
    if (!request) return { token: '', endsAt: Number.POSITIVE_INFINITY }
    return readToken(provider, await on.send(request, provider.host), on.clock.now())
  }
  function settle(entry: Held, fetched: TokenResult): void {
    const now = on.clock.now()
    if ('refused' in fetched) entry.freshUntil = now + (fetched.refused.retryAfterMs ?? refusalMs)
    else {
      entry.token = fetched.token
      entry.freshUntil = fetched.endsAt - spareMs(fetched.endsAt - now)
    }
  }
  function fetch(key: string, of: TokenOwner): Held {
    const entry: Held = { fetching: ask(of), freshUntil: Number.POSITIVE_INFINITY }
    entry.fetching.then(
      (fetched) => settle(entry, fetched),
      () => held.get(key) === entry && held.delete(key),
    )
    return entry
  }

  return {
    get(of) {
      const key = keyOf(of)
      const known = held.get(key)
      held.delete(key)
      const entry = known && known.freshUntil > on.clock.now() ? known : fetch(key, of)
      held.set(key, entry)
      if (held.size > most) held.delete(held.keys().next().value!)
      return entry.fetching
    },
    drop(of, token) {
      const key = keyOf(of)
      if (held.get(key)?.token === token) held.delete(key)
    },
  }
}
