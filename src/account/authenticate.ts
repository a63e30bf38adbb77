import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { sameBytes } from '#kit/cipher.ts'
import type { Clock } from '#kit/clock.ts'
import type { Store, Token } from '#store/store.ts'
import type { Access, Authenticate } from './access.ts'
import { bearerIn, wanted } from './bearer.ts'
import type { Keyring } from './keyring.ts'
import { isWellFormed } from './token.ts'

/** How long a token that was found good is believed: within the 5 s that a revocation may take everywhere. */
const believedMs = 1_000
const mostBelieved = 10_000

type Believed = { access: Access; token: Token; at: number }

/** Reads `Authorization: Bearer …` for one environment. What is wrong with a token is not told. */
export function authenticate(on: {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'token'>
  keys: Pick<Keyring, 'tokenHash'>
}): Authenticate {
  // By hash, so that no token lies about in memory.
  const believed = new Map<string, Believed>()
  return async (authorization) => {
    const hash = on.keys.tokenHash(readBearer(authorization, on.environment))
    const now = on.clock.now()
    const name = hash.toString('latin1')
    const known = believed.get(name)
    if (known && isRecent(known, now) && isGood(known.token, now)) return known.access
    believed.delete(name)
    const token = await on.store.token(hash)
    if (!token || !sameBytes(token.hash, hash) || !isGood(token, now)) throw fault('tokenRefused', wanted)
    if (believed.size >= mostBelieved) believed.clear()
    const { tokenId, teamId, application, scopes } = token
    const access = { tokenId, teamId, application, scopes: new Set(scopes) }
    believed.set(name, { access, token, at: now })
    return access
  }
}

/** Also false when the clock was set back: a believed token must not live through that. */
const isRecent = ({ at }: Believed, now: number) => now >= at && now - at < believedMs

const isGood = ({ expiresAt, revokedAt }: Token, now: number) => revokedAt === undefined && now < expiresAt

function readBearer(authorization: string | undefined, environment: EnvironmentName): string {
  if (!authorization?.trim()) throw fault('tokenMissing', wanted)
  const token = bearerIn(authorization)
  if (!token || !isWellFormed(token, environment)) throw fault('tokenRefused', wanted)
  return token
}
