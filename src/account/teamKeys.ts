import { createHmac, hash, type KeyObject } from 'node:crypto'
import { bulkCipher, type Cipher, deriveKey, open, seal } from '#kit/cipher.ts'

/** What is done under one team's keys. Each use has its own key, derived from the team's. */
export type TeamKeys = {
  sealEvent(plain: Uint8Array, tagId: string): Uint8Array
  openEvent(sealed: Uint8Array, tagId: string): Buffer
  sealUser(plain: Uint8Array, userId: string): Uint8Array
  openUser(sealed: Uint8Array, userId: string): Buffer
  /**
   * A keyed 64-bit fingerprint of an event's id on a tag. Never 0n. Ids of trusted and of untrusted callers are spaces of
   * their own: the same id has another key in each.
   */
  eventKey(tagId: string, eventId: string, trusted: boolean): bigint
  /** A keyed fingerprint of an e-mail, normalised: what a user is found by. */
  alias(tagId: string, email: string): Uint8Array
  /** A keyed fingerprint of a custom key and its value. */
  custom(tagId: string, key: string, value: string): Uint8Array
  /** Wraps the data key of a secret version. `bind` names what it belongs to. */
  wrapKey(dataKey: Uint8Array, bind: string): Uint8Array
  unwrapKey(wrapped: Uint8Array, bind: string): Buffer
}

/** The keys that a team has had, oldest first: the last one seals, each still opens what it sealed. */
export type TeamKeyVersions = TeamKeys & { add(key: Uint8Array): void; all(): readonly Uint8Array[] }

const markLength = 2
/** Which of the keys: in front of everything that is sealed, counted from 1. */
const markOf = (version: number) => Buffer.from([version >> 8, version & 0xff])

const wrapping = (key: KeyObject, mark: Uint8Array): Cipher => ({
  seal: (plain, aad) => Buffer.concat([mark, seal(key, plain, aad)]),
  open: (sealed, aad) => open(key, sealed.subarray(markLength), aad),
})

/** One use of the keys of a team. */
function versioned(make: (key: Uint8Array, mark: Uint8Array) => Cipher) {
  const ciphers: Cipher[] = []
  return {
    add: (key: Uint8Array) => void ciphers.push(make(key, markOf(ciphers.length + 1))),
    seal: (plain: Uint8Array, aad: string) => ciphers.at(-1)!.seal(plain, aad),
    open(sealed: Uint8Array, aad: string): Buffer {
      const cipher = ciphers[((sealed[0] ?? 0) << 8) + (sealed[1] ?? 0) - 1]
      if (!cipher) throw new Error('Sealed bytes do not open: they name a key that the team does not have.')
      return cipher.open(sealed, aad)
    },
  }
}

/**
 * Fingerprints are looked up, not opened: they are made by the first key for ever, so that after a rotation a repeat is
 * still a repeat and a person still found by the e-mail.
 */
function fingerprints(first: Uint8Array): Pick<TeamKeys, 'eventKey' | 'alias' | 'custom'> {
  const [aliases, customs] = [deriveKey(first, 'alias'), deriveKey(first, 'custom')]
  return {
    eventKey: eventKeys(first),
    alias: (tagId, email) =>
      createHmac('sha256', aliases).update(`${tagId}\0${email.trim().toLowerCase()}`).digest().subarray(0, 16),
    custom: (tagId, key, value) =>
      createHmac('sha256', customs).update(`${tagId}\0${key}\0${value}`).digest().subarray(0, 16),
  }
}

/** `keys` are 32 bytes each, at least one. */
export function teamKeys(keys: readonly Uint8Array[]): TeamKeyVersions {
  const held: Uint8Array[] = []
  const bulk = (use: string) => versioned((key, mark) => bulkCipher(deriveKey(key, use), undefined, mark))
  const [events, users] = [bulk('event'), bulk('user')]
  const secrets = versioned((key, mark) => wrapping(deriveKey(key, 'secret'), mark))
  const add = (key: Uint8Array) => {
    held.push(key)
    for (const use of [events, users, secrets]) use.add(key)
  }
  keys.forEach(add)
  return {
    add,
    all: () => held,
    sealEvent: events.seal,
    openEvent: events.open,
    sealUser: users.seal,
    openUser: users.open,
    ...fingerprints(held[0]!),
    wrapKey: secrets.seal,
    unwrapKey: secrets.open,
  }
}

/**
 * The first 64 bits of SHA-256 over key, tag and eventId. A keyed prefix serves as well as an HMAC here, because a
 * truncated digest cannot be extended, and costs 0.6 instead of 3 µs; so does hex against bytes.
 */
function eventKeys(first: Uint8Array): TeamKeys['eventKey'] {
  const prefixOf = (use: string) => deriveKey(first, use).export().toString('hex')
  // the space of trusted callers has the keys of all events that were taken before there were two spaces
  const [untrusted, own] = [prefixOf('event id, untrusted'), prefixOf('event id')]
  return (tagId, eventId, trusted) => {
    const text = `${trusted ? own : untrusted}${tagId}\0${eventId}`
    return BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`) || 1n
  }
}
