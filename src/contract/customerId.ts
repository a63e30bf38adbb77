/** In characters. Shops' ids have a few dozen characters. */
export const maxCustomerIdLength = 500

/** Values that systems send if they have no id, in lower case. */
const placeholders: ReadonlySet<string> = new Set([
  '0',
  '-1',
  'null',
  '(null)',
  'undefined',
  'nan',
  'none',
  '(none)',
  'n/a',
  'true',
  'false',
  'unknown',
  'anonymous',
  'guest',
  '[object object]',
  '00000000-0000-0000-0000-000000000000',
])

/** A shop's own customer id: a text, or a number as text. Undefined for placeholders and other unusable values. */
export function customerIdOf(value: unknown): string | undefined {
  const given = Number.isSafeInteger(value) ? `${value}` : value
  if (typeof given !== 'string' || given.length > maxCustomerIdLength) return undefined
  const id = given.trim()
  if (id === '' || placeholders.has(id.toLowerCase())) return undefined
  return /\p{Cc}/u.test(id) || !id.isWellFormed() ? undefined : id
}
