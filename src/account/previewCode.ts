import type { PreviewDelivery } from '#contract/previewLink.ts'
import { equalBytes } from '#kit/cipher.ts'
import type { Keyring } from './keyring.ts'

/** The terms of a preview link. `deployment` is absent for the draft. Times are epoch ms. */
export type PreviewTerms = { previewId: string; expiresAt: number; deliver: PreviewDelivery; deployment?: number }

/** id, expiry in seconds to the base 36, delivery and deployment, signature */
const form = /^(prv_[0-9a-z]{26})\.([0-9a-z]{1,8})\.([nt])([1-9][0-9]{0,9})?\.([\w-]{22})$/
const signatureBytes = 16

const textOf = ({ previewId, expiresAt, deliver, deployment }: PreviewTerms) =>
  `${previewId}.${Math.floor(expiresAt / 1_000).toString(36)}.${deliver === 'none' ? 'n' : 't'}${deployment ?? ''}`

const sign = (keys: Pick<Keyring, 'hashToken'>, tagId: string, text: string) =>
  keys.hashToken(`preview link\0${tagId}\0${text}`).subarray(0, signatureBytes)

/** The code of a preview link of a tag. Anyone with the code can read its terms, but cannot create another. */
export const previewCode = (keys: Pick<Keyring, 'hashToken'>, tagId: string, terms: PreviewTerms): string =>
  `${textOf(terms)}.${sign(keys, tagId, textOf(terms)).toString('base64url')}`

/** The terms of a code; undefined unless this server signed it for this tag. The caller checks the expiry. */
export function readPreviewCode(
  keys: Pick<Keyring, 'hashToken'>,
  tagId: string,
  code: string,
): PreviewTerms | undefined {
  const [, previewId, expiry, deliver, deployment, signature] = form.exec(code) ?? []
  if (!previewId || !expiry || !signature) return undefined
  const terms: PreviewTerms = {
    previewId,
    expiresAt: Number.parseInt(expiry, 36) * 1_000,
    deliver: deliver === 'n' ? 'none' : 'testMode',
    ...(deployment && { deployment: Number(deployment) }),
  }
  const text = textOf(terms)
  const isSigned = equalBytes(sign(keys, tagId, text), Buffer.from(signature, 'base64url'))
  return isSigned && code.startsWith(`${text}.`) ? terms : undefined
}
