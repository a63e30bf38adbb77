/** The exports of `aglet/client`, built by scripts/client.ts: the typed client and the sealing of secrets. */

export { ApiError, type Client, type ClientOptions, client } from './client.ts'
export type { ErrorObject, HookError } from './errorObject.ts'
export type { Manifest } from './manifest.ts'
export type { Me, SealingKey } from './me.ts'
export type { ProviderId } from './providerIds.ts'
export type { Script, ScriptWrite, SecretEntry, SecretState, SecretType } from './script.ts'
export { type SealedFor, sealEntry } from './seal.ts'
export type { Membership, Person, Session, SessionMade } from './session.ts'
export type { Tag, TagUpdate, TagWrite } from './tag.ts'
