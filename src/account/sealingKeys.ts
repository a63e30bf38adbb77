import { createHash, generateKeyPair, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type { SealingKey } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { SealingKeyPair, Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

/** The key pairs of one environment that secret entries are sealed for. */
export type SealingKeys = {
  /** What callers should seal with. */
  active(): SealingKey
  /** What GET /jwks.json shows: the active and the next key. */
  published(): SealingKey[]
  /** The private half, for decrypting only; undefined for a kid that is unknown or retired. */
  privateKey(kid: string): webcrypto.CryptoKey | undefined
}

const generate = promisify(generateKeyPair)
const keyAlgorithm = { name: 'RSA-OAEP', hash: 'SHA-256' }

/**
 * Opens the sealing keys of an environment; the first start makes one active and one next. Throws RootKeyProblem when
 * they were sealed by another root key.
 */
export async function openSealingKeys(
  store: Pick<Store, 'sealingKeys' | 'write'>,
  keys: Keyring,
  clock: Clock,
): Promise<SealingKeys> {
  const kept = await store.sealingKeys()
  const missing = (['active', 'next'] as const).filter((state) => !kept.some((pair) => pair.state === state))
  const made = await Promise.all(missing.map((state) => makePair(state, keys, clock.now())))
  if (made.length > 0)
    await store.write([
      ...made.map((row) => ({ put: 'sealingKey' as const, row })),
      { add: 'audit', row: { at: clock.now(), by: 'operator', what: 'sealingKey.create' } },
    ])
  return read([...kept, ...made], keys)
}

async function read(pairs: readonly SealingKeyPair[], keys: Keyring): Promise<SealingKeys> {
  const privates = new Map(
    await Promise.all(pairs.map(async (pair) => [pair.kid, await importPrivate(pair, keys)] as const)),
  )
  const inState = (state: SealingKeyPair['state']) =>
    JSON.parse(pairs.find((pair) => pair.state === state)!.publicJwk) as SealingKey
  const [active, next] = [inState('active'), inState('next')]
  return {
    active: () => active,
    published: () => [active, next],
    privateKey: (kid) => privates.get(kid),
  }
}

const importPrivate = ({ kid, sealedPrivate }: SealingKeyPair, keys: Keyring) =>
  crypto.subtle.importKey('pkcs8', keys.openPrivate(sealedPrivate, kid), keyAlgorithm, false, ['decrypt'])

async function makePair(state: SealingKeyPair['state'], keys: Keyring, nowMs: number): Promise<SealingKeyPair> {
  const pair = await generate('rsa', { modulusLength: 3072 })
  const { n, e } = pair.publicKey.export({ format: 'jwk' }) as { n: string; e: string }
  const kid = thumbprint(n, e)
  const publicJwk: SealingKey = { kty: 'RSA', kid, use: 'enc', alg: 'RSA-OAEP-256', n, e }
  return {
    kid,
    state,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivate: keys.sealPrivate(pair.privateKey.export({ type: 'pkcs8', format: 'der' }), kid),
    createdAt: nowMs,
  }
}

/** The thumbprint of an RSA key (RFC 7638). */
const thumbprint = (n: string, e: string) =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url')
