import type { AdapterPayload } from 'oidc-provider'
import type { Artifact } from '#store/accounts.ts'
import type { AccountWorld } from './world.ts'

/** What the OAuth library keeps of a flow. This file loads nothing of the library: it takes 46 MB. */
export type Payload = AdapterPayload & { clientId?: string; accountId?: string; grantId?: string; scope?: string }

/** What an artifact is sealed for. */
export const bindOf = (kind: string, key: Uint8Array) => `artifact ${kind} ${Buffer.from(key).toString('base64url')}`

/** What was sealed of an artifact. */
export function openArtifact({ kind, key, sealed }: Artifact, { keys }: Pick<AccountWorld, 'keys'>): Payload {
  return JSON.parse(keys.openPrivate(sealed, bindOf(kind, key)).toString()) as Payload
}
