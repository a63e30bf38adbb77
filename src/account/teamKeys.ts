import { createHmac, hash, type KeyObject } from 'node:crypto'
import { bulkCipher, type Cipher, deriveKey, open, seal } from '#kit/cipher.ts'

/** The operations with a team's keys. Each use has a separate key, derived from the team's. */
export type TeamKeys = {
  sealEvent(plain: Uint8Array, tagId: string): Uint8Array
  openEvent(sealed: Uint8Array, tagId: string): Buffer
  sealUser(plain: Uint8Array, userId: string): Uint8Array
  openUser(sealed: Uint8Array, userId: string): Buffer
  /**
   * A keyed 64-bit fingerprint of an event id on a tag. Never 0n. Ids of trusted and untrusted callers are separate
   * spaces: the same id has a different fingerprint in each.
   */
  eventKey(tagId: string, eventId: string, trusted: boolean): bigint
  /** A keyed fingerprint of a normalised e-mail, which finds a user. */
  emailFingerprint(tagId: string, email: string): Uint8Array
  /** A keyed fingerprint of a custom key and its value. */
  customFingerprint(tagId: string, key: string, value: string, trusted?: boolean): Uint8Array
  /** Wraps the data key of a secret version. `bind` identifies the secret; the key opens only with the same `bind`. */
  wrapKey(dataKey: Uint8Array, bind: string): Uint8Array
  unwrapKey(wrapped: Uint8Array, bind: string): Buffer
}

/** The key versions of a team, oldest first. The last one seals; each one opens what it sealed. */
export type TeamKeyVersions = TeamKeys & {
  add(key: Uint8Array): void
  all(): readonly Uint8Array[]
  /** Whether one of the keys has the version that sealed the bytes. */
  hasVersionOf(sealed: Uint8Array): boolean
}

const versionLength = 2
/** The key version, from 1, as the prefix of sealed bytes. */
const encodeVersion = (version: number) => Buffer.from([version >> 8, version & 0xff])
const readVersion = (sealed: Uint8Array) => ((sealed[0] ?? 0) << 8) + (sealed[1] ?? 0)

const wrapCipher = (key: KeyObject, prefix: Uint8Array): Cipher => ({
  seal: (plain, aad) => Buffer.concat([prefix, seal(key, plain, aad)]),
  open: (sealed, aad) => open(key, sealed.subarray(versionLength), aad),
})

/** A cipher for one use of a team's keys, with a key for each version. */
function createVersionedCipher(make: (key: Uint8Array, prefix: Uint8Array) => Cipher) {
  const ciphers: Cipher[] = []
  return {
    add: (key: Uint8Array) => void ciphers.push(make(key, encodeVersion(ciphers.length + 1))),
    seal: (plain: Uint8Array, aad: string) => ciphers.at(-1)!.seal(plain, aad),
    open(sealed: Uint8Array, aad: string): Buffer {
      const cipher = ciphers[readVersion(sealed) - 1]
      if (!cipher) throw new Error('The sealed bytes do not open: the team has no key of their version.')
      return cipher.open(sealed, aad)
    },
  }
}

/**
 * Fingerprints always use the first key, so that after a rotation duplicates are still detected and users are still
 * found by e-mail.
 */
function createFingerprints(first: Uint8Array): Pick<TeamKeys, 'eventKey' | 'emailFingerprint' | 'customFingerprint'> {
  const [aliases, customs] = [deriveKey(first, 'alias'), deriveKey(first, 'custom')]
  const trustedCustoms = deriveKey(first, 'trusted custom')
  return {
    eventKey: createEventKey(first),
    emailFingerprint: (tagId, email) =>
      createHmac('sha256', aliases).update(`${tagId}\0${email.trim().toLowerCase()}`).digest().subarray(0, 16),
    customFingerprint: (tagId, key, value, trusted = false) =>
      createHmac('sha256', trusted ? trustedCustoms : customs)
        .update(`${tagId}\0${key}\0${value}`)
        .digest()
        .subarray(0, 16),
  }
}

/** `keys` are 32 bytes each, at least one. */
export function createTeamKeys(keys: readonly Uint8Array[]): TeamKeyVersions {
  const rawKeys: Uint8Array[] = []
  const createBulkCipher = (use: string) =>
    createVersionedCipher((key, prefix) => bulkCipher(deriveKey(key, use), undefined, prefix))
  const [events, users] = [createBulkCipher('event'), createBulkCipher('user')]
  const secrets = createVersionedCipher((key, prefix) => wrapCipher(deriveKey(key, 'secret'), prefix))
  const add = (key: Uint8Array) => {
    rawKeys.push(key)
    for (const use of [events, users, secrets]) use.add(key)
  }
  keys.forEach(add)
  return {
    add,
    all: () => rawKeys,
    hasVersionOf: (sealed) => readVersion(sealed) <= rawKeys.length,
    sealEvent: events.seal,
    openEvent: events.open,
    sealUser: users.seal,
    openUser: users.open,
    ...createFingerprints(rawKeys[0]!),
    wrapKey: secrets.seal,
    unwrapKey: secrets.open,
  }
}

/**
 * The first 64 bits of SHA-256 over key, tag and eventId. A keyed prefix is as safe as an HMAC here, because a
 * truncated digest prevents length extension, and takes 0.6 instead of 3 µs. Hex strings are faster here than bytes.
 */
function createEventKey(first: Uint8Array): TeamKeys['eventKey'] {
  const derivePrefix = (use: string) => deriveKey(first, use).export().toString('hex')
  // events from before the spaces were separate have the keys of the trusted space
  const [untrustedPrefix, trustedPrefix] = [derivePrefix('event id, untrusted'), derivePrefix('event id')]
  return (tagId, eventId, trusted) => {
    const text = `${trusted ? trustedPrefix : untrustedPrefix}${tagId}\0${eventId}`
    return BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`) || 1n
  }
}
