import { createHash, generateKeyPair, type webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import type { SealingKey } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { oneByOne } from '#kit/oneByOne.ts'
import type { SealingKeyPair, Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

/** The key pairs of one environment that secret entries are sealed for. */
export type SealingKeys = {
  /** What callers should seal with. */
  active(): SealingKey
  /** What GET /jwks.json shows: the active and the next key. */
  published(): SealingKey[]
  /** The private half, for decrypting only; undefined for a kid that is unknown, or whose 30 days on the way out are over. */
  privateKey(kid: string): webcrypto.CryptoKey | undefined
}

/** The same, in the process that may change them. */
export type LiveSealingKeys = SealingKeys & {
  /**
   * The next key becomes active, a new one next; the active one is on its way out: for 30 days it opens what was sealed
   * for it. Shown as soon as this resolves.
   */
  rotate(by: string): Promise<{ active: string; next: string; retiring: string }>
}

const generate = promisify(generateKeyPair)
const keyAlgorithm = { name: 'RSA-OAEP', hash: 'SHA-256' }
const retiringMs = 30 * 86_400_000

type SealingStore = Pick<Store, 'sealingKeys' | 'write'>
type Pairs = readonly SealingKeyPair[]

const inState = (pairs: Pairs, state: SealingKeyPair['state']) => pairs.find((pair) => pair.state === state)
const isOver = ({ retiringAt }: SealingKeyPair, nowMs: number) =>
  retiringAt !== undefined && nowMs >= retiringAt + retiringMs

/**
 * Opens the sealing keys of an environment; the first start makes one active and one next. Throws RootKeyProblem when
 * they were sealed by another root key.
 */
export async function openSealingKeys(
  store: SealingStore,
  keys: Pick<Keyring, 'sealPrivate' | 'openPrivate'>,
  clock: Pick<Clock, 'now'>,
): Promise<LiveSealingKeys> {
  const kept = await store.sealingKeys()
  const missing = (['active', 'next'] as const).filter((state) => !inState(kept, state))
  const made = await Promise.all(missing.map((state) => makePair(state, keys, clock.now())))
  if (made.length > 0)
    await store.write([
      ...made.map((row) => ({ put: 'sealingKey' as const, row })),
      { add: 'audit', row: { at: clock.now(), by: 'operator', what: 'createSealingKey' } },
    ])
  let held = await hold([...kept, ...made], keys)
  const inTurn = oneByOne()
  return {
    active: () => held.active,
    published: () => [held.active, held.next],
    privateKey(kid) {
      const known = held.privates.get(kid)
      return known && !isOver(known.pair, clock.now()) ? known.key : undefined
    },
    rotate: (by) =>
      inTurn(async () => {
        const { pairs, told } = await turn({ store, keys, nowMs: clock.now(), by })
        held = await hold(pairs, keys)
        return told
      }),
  }
}

/** Writes the keys one step on, and drops those whose time is over: what was sealed for them opens no more. */
async function turn(on: { store: SealingStore; keys: Pick<Keyring, 'sealPrivate'>; nowMs: number; by: string }) {
  const kept = await on.store.sealingKeys()
  const [active, next] = [inState(kept, 'active')!, inState(kept, 'next')!]
  const moved: SealingKeyPair[] = [
    { ...active, state: 'retiring', retiringAt: on.nowMs },
    { ...next, state: 'active' },
    await makePair('next', on.keys, on.nowMs),
  ]
  const over = kept.filter((pair) => isOver(pair, on.nowMs))
  const told = { active: next.kid, next: moved[2]!.kid, retiring: active.kid }
  await on.store.write([
    ...moved.map((row) => ({ put: 'sealingKey' as const, row })),
    ...over.map(({ kid }) => ({ drop: 'sealingKey' as const, kid })),
    { add: 'audit', row: { at: on.nowMs, by: on.by, what: 'rotateSealingKey', object: next.kid } },
  ])
  const before = kept.filter((pair) => ![active, next, ...over].includes(pair))
  return { pairs: [...before, ...moved], told }
}

/** The keys of these pairs, ready for use. */
async function hold(pairs: Pairs, keys: Pick<Keyring, 'openPrivate'>) {
  const opened = pairs.map(async (pair) => [pair.kid, { pair, key: await importPrivate(pair, keys) }] as const)
  const publicOf = (state: 'active' | 'next') => JSON.parse(inState(pairs, state)!.publicJwk) as SealingKey
  return { active: publicOf('active'), next: publicOf('next'), privates: new Map(await Promise.all(opened)) }
}

const importPrivate = ({ kid, sealedPrivate }: SealingKeyPair, keys: Pick<Keyring, 'openPrivate'>) =>
  crypto.subtle.importKey('pkcs8', keys.openPrivate(sealedPrivate, kid), keyAlgorithm, false, ['decrypt'])

async function makePair(
  state: SealingKeyPair['state'],
  keys: Pick<Keyring, 'sealPrivate'>,
  nowMs: number,
): Promise<SealingKeyPair> {
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
