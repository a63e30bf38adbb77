import { hash as digest } from 'node:crypto'

/** Texts that programs write where a value is missing, in lower case. */
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

/** Names that no mail server can have (RFC 2606 and 6761), and those of tests that somebody else owns. */
const testDomain = /(?:^|\.)(?:test|invalid|localhost|local|test\.(?:com|de|net|org))$/

/** Whether a text stands for a missing value. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= longestPlaceholder && placeholders.has(trimmed.toLowerCase())
}

/** Whether an e-mail address in lower case is written where there is none: `unknown@shop.com`, `a@localhost`. */
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

/** Whether a digest in lower-case hex is that of an empty text or of a placeholder: senders hash what is missing, too. */
export const isDigestOfNothing = (hex: string): boolean => digestsOfNothing().has(hex)

/** Whether a text has the form of a digest in hex: MD5, SHA-1, SHA-256 or SHA-512. */
export const isDigest = (text: string): boolean =>
  text.length >= 32 && /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i.test(text)
