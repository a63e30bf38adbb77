import { readFileSync } from 'node:fs'
import type { SealingKeys } from '#account/sealingKeys.ts'
import type { SealingKey } from '#contract/me.ts'
import type { SecretEntry } from '#contract/script.ts'
import type { SealedFor } from '#contract/seal.ts'
import type { ExpectedEntries } from './secret.ts'

export type Vector = SealedFor & {
  title: string
  plaintext: string
  contentKey: string
  protectedHeader: string
  entry: SecretEntry
}
type Vectors = { publicKey: SealingKey; privateKey: SealingKey & Record<string, string>; vectors: Vector[] }

const file = new URL('../../docs/test-vectors/secret-entries.json', import.meta.url)

/** The published test vectors: a public key pair, and entries that were sealed for it. */
export const { publicKey, privateKey, vectors } = JSON.parse(readFileSync(file, 'utf8')) as Vectors

const { n, e, d, p, q, dp, dq, qi } = privateKey
const key = await crypto.subtle.importKey(
  'jwk',
  { kty: 'RSA', n, e, d, p, q, dp, dq, qi } as Record<string, string>,
  { name: 'RSA-OAEP', hash: 'SHA-256' },
  false,
  ['decrypt'],
)

export const vectorKeys: SealingKeys = {
  active: () => publicKey,
  published: () => [publicKey],
  privateKey: async (kid) => (kid === publicKey.kid ? key : undefined),
}

export const expectedFor = ({ environment, teamId, providerId, variable, type }: SealedFor): ExpectedEntries => ({
  environment,
  teamId,
  providerId,
  specs: { [variable]: { type } },
})
