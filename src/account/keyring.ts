/** What is done under one team's key. Each use has its own key, derived from the team's. */
export type TeamKeys = {
  sealEvent(plain: Uint8Array, tagId: string): Uint8Array
  openEvent(sealed: Uint8Array, tagId: string): Buffer
  sealUser(plain: Uint8Array, userId: string): Uint8Array
  openUser(sealed: Uint8Array, userId: string): Buffer
  /** A keyed 64-bit fingerprint of an event's id on a tag. */
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
  loadTeam(teamId: string, sealedKey: Uint8Array): void
  /** HMAC-SHA-256 under the pepper: how tokens are kept. */
  tokenHash(token: string): Buffer
  /** For the sealing keys' private halves. */
  sealPrivate(plain: Uint8Array, kid: string): Uint8Array
  openPrivate(sealed: Uint8Array, kid: string): Buffer
}
