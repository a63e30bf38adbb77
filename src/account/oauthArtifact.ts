import type { AdapterPayload } from 'oidc-provider'
import type { OAuthArtifact } from '#store/accounts.ts'
import type { AccountDeps } from './accountDeps.ts'

/** The stored state of an OAuth flow. This file imports only types of the library, because loading it takes 46 MB. */
export type ArtifactPayload = AdapterPayload & {
  clientId?: string
  accountId?: string
  grantId?: string
  scope?: string
}

/** The additional authenticated data of a sealed artifact. */
export const artifactAad = (kind: string, key: Uint8Array) =>
  `artifact ${kind} ${Buffer.from(key).toString('base64url')}`

/** Opens the payload of an artifact. */
export function openArtifact(
  { kind, key, sealed }: OAuthArtifact,
  { keys }: Pick<AccountDeps, 'keys'>,
): ArtifactPayload {
  return JSON.parse(keys.openSecret(sealed, artifactAad(kind, key)).toString()) as ArtifactPayload
}
