import { nameIssue, namePattern } from './displayText.ts'

/** The patterns of the schemas. An issue says their sentence: nobody should have to read a pattern. */
export const patterns = {
  name: namePattern,
  domain: '^[A-Za-z0-9.-]+$',
  origin: '^https?://[^/]+$',
  httpsUrl: '^https://[^#@\\s/][^#@\\s]*$',
  country: '^[A-Z]{2}$',
  currency: '^[A-Z]{3}$',
  fieldPath: '^[A-Za-z_][A-Za-z0-9_]{0,59}([.][A-Za-z_][A-Za-z0-9_]{0,59}){0,4}$',
  method: '^[A-Z]{1,20}$',
  version: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
} as const

const sentences: Record<keyof typeof patterns, string> = {
  name: nameIssue,
  domain: 'must be a host name alone, such as shop.example: without https:// and without a path',
  origin: 'must be an origin, such as https://shop.example: without a path',
  httpsUrl: 'must be an address that begins with https://, without # and @',
  currency: 'must be a currency code of three capital letters, such as EUR',
  fieldPath: 'must be a field of the event, such as data.orderId',
  country: 'must be a country code of two capital letters, such as DE',
  method: 'must be an HTTP method in capital letters, such as POST',
  version: 'must have 1 to 100 letters, digits, dots and dashes, such as 2026-11',
}

const byPattern = new Map(
  Object.entries(patterns).map(([name, pattern]) => [pattern as string, sentences[name as keyof typeof patterns]]),
)

/** What is wrong with a text that does not match a pattern of the schemas. */
export const patternIssue = (pattern: unknown): string | undefined => byPattern.get(String(pattern))
