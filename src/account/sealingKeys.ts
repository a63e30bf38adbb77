import { createHash, generateKeyPair, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type { SealingKey } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { SealingKeyPair, Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

/** The key pairs of one environment for the encryption of secret entries. */
export type SealingKeys = {
  /** The key that callers should use. */
  active(): SealingKey
  /** The active and the next key, as published by GET /jwks.json. */
  published(): SealingKey[]
  /**
   * The private key, for decryption only; undefined for a kid that is unknown or was retired 30 days ago. The stored keys
   * are read for an unknown kid, at most once a second: another process may just have rotated them.
   */
  privateKey(kid: string): Promise<webcrypto.CryptoKey | undefined>
}

/** Sealing keys in the process that may rotate them. */
export type RotatableSealingKeys = SealingKeys & {
  /**
   * Makes the next key active and creates a new next key. The former active key still decrypts for 30 days. Takes
   * effect when this resolves.
   */
  rotate(by: string): Promise<{ active: string; next: string; retiring: string }>
  /** Reads the stored keys again, because another process has rotated them. */
  reload(): Promise<void>
}

const generateRsaKeyPair = promisify(generateKeyPair)
const keyAlgorithm = { name: 'RSA-OAEP', hash: 'SHA-256' }
const retiringMs = 30 * 86_400_000
const reloadMs = 1_000

type SealingStore = Pick<Store, 'sealingKeys' | 'write'>
type SealingKeyPairs = readonly SealingKeyPair[]

const findByState = (pairs: SealingKeyPairs, state: SealingKeyPair['state']) =>
  pairs.find((pair) => pair.state === state)
const isRetired = ({ retiringAt }: SealingKeyPair, nowMs: number) =>
  retiringAt !== undefined && nowMs >= retiringAt + retiringMs

/**
 * Opens the sealing keys of an environment. The first start creates an active and a next key. Throws RootKeyError if
 * they were sealed by another root key.
 */
export async function openSealingKeys(
  store: SealingStore,
  keys: Pick<Keyring, 'sealSecret' | 'openSecret'>,
  clock: Pick<Clock, 'now'>,
): Promise<RotatableSealingKeys> {
  const stored = await store.sealingKeys()
  const missing = (['active', 'next'] as const).filter((state) => !findByState(stored, state))
  const created = await Promise.all(missing.map((state) => createKeyPair(state, keys, clock.now())))
  if (created.length > 0)
    await store.write([
      ...created.map((row) => ({ put: 'sealingKey' as const, row })),
      { add: 'audit', row: { at: clock.now(), by: 'operator', what: 'createSealingKey' } },
    ])
  let imported = await importKeyPairs([...stored, ...created], keys)
  const withLock = keyedMutex()
  const reload = () =>
    withLock('keys', async () => {
      imported = await importKeyPairs(await store.sealingKeys(), keys)
    })
  let reloading: { at: number; done: Promise<void> } | undefined
  /** Callers within the second wait for the same read. */
  function reloadIfDue(): Promise<void> {
    const now = clock.now()
    if (!reloading || now - reloading.at >= reloadMs || now < reloading.at) reloading = { at: now, done: reload() }
    return reloading.done
  }
  return {
    active: () => imported.active,
    published: () => [imported.active, imported.next],
    async privateKey(kid) {
      if (!imported.privates.has(kid)) await reloadIfDue()
      const entry = imported.privates.get(kid)
      return entry && !isRetired(entry.pair, clock.now()) ? entry.key : undefined
    },
    rotate: (by) =>
      withLock('keys', async () => {
        const { pairs, kids } = await rotateKeyPairs({ store, keys, nowMs: clock.now(), by })
        imported = await importKeyPairs(pairs, keys)
        return kids
      }),
    reload,
  }
}

/** Rotates the stored keys, and deletes those that were retired 30 days ago. */
async function rotateKeyPairs(deps: {
  store: SealingStore
  keys: Pick<Keyring, 'sealSecret'>
  nowMs: number
  by: string
}) {
  const stored = await deps.store.sealingKeys()
  const [active, next] = [findByState(stored, 'active')!, findByState(stored, 'next')!]
  const updated: SealingKeyPair[] = [
    { ...active, state: 'retiring', retiringAt: deps.nowMs },
    { ...next, state: 'active' },
    await createKeyPair('next', deps.keys, deps.nowMs),
  ]
  const retired = stored.filter((pair) => isRetired(pair, deps.nowMs))
  const kids = { active: next.kid, next: updated[2]!.kid, retiring: active.kid }
  await deps.store.write([
    ...updated.map((row) => ({ put: 'sealingKey' as const, row })),
    ...retired.map(({ kid }) => ({ drop: 'sealingKey' as const, kid })),
    { add: 'audit', row: { at: deps.nowMs, by: deps.by, what: 'rotateSealingKey', object: next.kid } },
  ])
  const unchanged = stored.filter((pair) => ![active, next, ...retired].includes(pair))
  return { pairs: [...unchanged, ...updated], kids }
}

/** Imports the pairs: the public keys as JWKs, the private ones as CryptoKeys. */
async function importKeyPairs(pairs: SealingKeyPairs, keys: Pick<Keyring, 'openSecret'>) {
  const opened = pairs.map(async (pair) => [pair.kid, { pair, key: await importPrivate(pair, keys) }] as const)
  const parsePublicKey = (state: 'active' | 'next') => JSON.parse(findByState(pairs, state)!.publicJwk) as SealingKey
  return {
    active: parsePublicKey('active'),
    next: parsePublicKey('next'),
    privates: new Map(await Promise.all(opened)),
  }
}

const importPrivate = ({ kid, sealedPrivate }: SealingKeyPair, keys: Pick<Keyring, 'openSecret'>) =>
  crypto.subtle.importKey('pkcs8', keys.openSecret(sealedPrivate, kid), keyAlgorithm, false, ['decrypt'])

async function createKeyPair(
  state: SealingKeyPair['state'],
  keys: Pick<Keyring, 'sealSecret'>,
  nowMs: number,
): Promise<SealingKeyPair> {
  const pair = await generateRsaKeyPair('rsa', { modulusLength: 3072 })
  const { n, e } = pair.publicKey.export({ format: 'jwk' }) as { n: string; e: string }
  const kid = thumbprint(n, e)
  const publicJwk: SealingKey = { kty: 'RSA', kid, use: 'enc', alg: 'RSA-OAEP-256', n, e }
  return {
    kid,
    state,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivate: keys.sealSecret(pair.privateKey.export({ type: 'pkcs8', format: 'der' }), kid),
    createdAt: nowMs,
  }
}

/** The thumbprint of an RSA key (RFC 7638). */
const thumbprint = (n: string, e: string) =>
  createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url')
