import { hash as digest } from 'node:crypto'

/** Texts that programs write for a missing value, in lower case. */
const placeholders: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'n/a',
  'n.a.',
  'none',
  'unknown',
  '(none)',
  '(not set)',
  'not set',
  '[object object]',
  '-',
  '--',
  '{}',
  '[]',
])

const longestPlaceholder = Math.max(...[...placeholders].map(({ length }) => length))

/** Domains that no mail server can have (RFC 2606 and 6761), and test domains that other people own. */
const testDomain = /(?:^|\.)(?:test|invalid|localhost|local|test\.(?:com|de|net|org))$/

/** Whether a text is a placeholder for a missing value. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= longestPlaceholder && placeholders.has(trimmed.toLowerCase())
}

/** Whether an e-mail address in lower case is a placeholder: `unknown@shop.com`, `a@localhost`. */
export function isPlaceholderEmail(address: string): boolean {
  const at = address.indexOf('@')
  return isPlaceholder(address.slice(0, at)) || testDomain.test(address.slice(at + 1))
}

let digests: ReadonlySet<string> | undefined
function digestsOfNothing(): ReadonlySet<string> {
  if (digests) return digests
  const texts = ['', ...placeholders].flatMap((text) => [text, text.toUpperCase(), `+${text}`])
  digests = new Set(texts.flatMap((text) => ['sha256', 'sha1', 'md5'].map((name) => digest(name, text))))
  return digests
}

/** Whether a lower-case hex digest is the digest of an empty text or a placeholder: some senders also hash missing values. */
export const isDigestOfNothing = (hex: string): boolean => digestsOfNothing().has(hex)

/** Whether a text looks like a hex digest: MD5, SHA-1, SHA-256 or SHA-512. */
export const isDigest = (text: string): boolean =>
  text.length >= 32 && /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i.test(text)
