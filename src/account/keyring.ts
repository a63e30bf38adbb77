import { createHmac, hash, type KeyObject, randomBytes } from 'node:crypto'
import type { EnvironmentName } from '#contract/me.ts'
import { bulkCipher, deriveKey, open, seal } from '#kit/cipher.ts'
import { rootKeyDoesNotFit } from './rootKey.ts'

/** What is done under one team's key. Each use has its own key, derived from the team's. */
export type TeamKeys = {
  sealEvent(plain: Uint8Array, tagId: string): Uint8Array
  openEvent(sealed: Uint8Array, tagId: string): Buffer
  sealUser(plain: Uint8Array, userId: string): Uint8Array
  openUser(sealed: Uint8Array, userId: string): Buffer
  /** A keyed 64-bit fingerprint of an event's id on a tag. Never 0n. */
  eventKey(tagId: string, eventId: string): bigint
  /** A keyed fingerprint of an e-mail, normalised: what a user is found by. */
  alias(tagId: string, email: string): Uint8Array
  /** Wraps the data key of a secret version. `bind` names what it belongs to. */
  wrapKey(dataKey: Uint8Array, bind: string): Uint8Array
  unwrapKey(wrapped: Uint8Array, bind: string): Buffer
}

/** The keys of one environment: the root key, and under it one key per team. */
export type Keyring = {
  /** Throws when the team is not loaded: a bug, teams are loaded at start and when they are made. */
  team(teamId: string): TeamKeys
  /** A new team's key, wrapped by the root key, loaded here as well. */
  makeTeam(teamId: string): Uint8Array
  /** Throws RootKeyProblem when the key was wrapped by another root key. */
  loadTeam(teamId: string, sealedKey: Uint8Array): void
  /** HMAC-SHA-256 under the pepper: how tokens are kept. */
  tokenHash(token: string): Buffer
  /** For the sealing keys' private halves. */
  sealPrivate(plain: Uint8Array, kid: string): Uint8Array
  /** Throws RootKeyProblem when it was sealed by another root key. */
  openPrivate(sealed: Uint8Array, kid: string): Buffer
}

/**
 * The keyring of one environment under a root key of 32 bytes. Every key is derived with the environment's name, so
 * that nothing of one environment opens in the other although both hang on the same root key.
 */
export function openKeyring(rootKey: Uint8Array, environment: EnvironmentName): Keyring {
  const use = (name: string) => deriveKey(rootKey, `aglet 1 ${environment} ${name}`)
  const teamWrap = use('team key')
  const privateWrap = use('sealing key')
  const pepper = use('token pepper')
  const teams = new Map<string, TeamKeys>()
  return {
    team(teamId) {
      const keys = teams.get(teamId)
      if (!keys) throw new Error(`The key of ${teamId} is not loaded.`)
      return keys
    },
    makeTeam(teamId) {
      const key = randomBytes(32)
      teams.set(teamId, teamKeys(key))
      return seal(teamWrap, key, teamId)
    },
    loadTeam(teamId, sealedKey) {
      teams.set(teamId, teamKeys(openUnderRoot(teamWrap, sealedKey, teamId)))
    },
    tokenHash: (token) => createHmac('sha256', pepper).update(token).digest(),
    sealPrivate: (plain, kid) => seal(privateWrap, plain, kid),
    openPrivate: (sealed, kid) => openUnderRoot(privateWrap, sealed, kid),
  }
}

function openUnderRoot(key: KeyObject, sealed: Uint8Array, aad: string): Buffer {
  try {
    return open(key, sealed, aad)
  } catch {
    throw rootKeyDoesNotFit()
  }
}

function teamKeys(teamKey: Uint8Array): TeamKeys {
  const events = bulkCipher(deriveKey(teamKey, 'event'))
  const users = bulkCipher(deriveKey(teamKey, 'user'))
  const secretWrap = deriveKey(teamKey, 'secret')
  const aliases = deriveKey(teamKey, 'alias')
  return {
    sealEvent: events.seal,
    openEvent: events.open,
    sealUser: users.seal,
    openUser: users.open,
    eventKey: eventKeys(deriveKey(teamKey, 'event id')),
    alias: (tagId, email) =>
      createHmac('sha256', aliases).update(`${tagId}\0${email.trim().toLowerCase()}`).digest().subarray(0, 16),
    wrapKey: (dataKey, bind) => seal(secretWrap, dataKey, bind),
    unwrapKey: (wrapped, bind) => open(secretWrap, wrapped, bind),
  }
}

/**
 * The first 64 bits of SHA-256 over key, tag and eventId. A keyed prefix serves as well as an HMAC here, because a
 * truncated digest cannot be extended, and costs 0.6 instead of 3 µs; so does hex against bytes.
 */
function eventKeys(key: KeyObject): TeamKeys['eventKey'] {
  const prefix = key.export().toString('hex')
  return (tagId, eventId) => BigInt(`0x${hash('sha256', `${prefix}${tagId}\0${eventId}`, 'hex').slice(0, 16)}`) || 1n
}
