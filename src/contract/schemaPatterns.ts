import { nameIssue, namePattern } from './displayText.ts'

/** The patterns of the schemas. Issues contain a sentence for each, so that nobody has to read a pattern. */
export const patterns = {
  name: namePattern,
  domain: '^[A-Za-z0-9.-]+$',
  origin: '^https?://[^/]+$',
  httpsUrl: '^https://[^#@\\s/][^#@\\s]*$',
  country: '^[A-Z]{2}$',
  currency: '^[A-Z]{3}$',
  fieldPath: '^[A-Za-z_][A-Za-z0-9_]{0,59}([.][A-Za-z_][A-Za-z0-9_]{0,59}){0,4}$',
  method: '^[A-Z]{1,20}$',
  mail: '^[^\\s@<>(),;:"\\[\\]\\\\]+@[^\\s@<>(),;:"\\[\\]\\\\]+$',
  routingKey: '^[A-Za-z0-9]{32}$',
  mailCode: '^[0-9]{8}$',
  quietHours: '^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$',
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
  mail: 'must be an e-mail address alone, such as jane@shop.example',
  routingKey: 'must be the integration key of PagerDuty, of 32 letters and digits',
  mailCode: 'must be the code of eight digits',
  quietHours: 'must be hours such as 22:00-07:00',
  version: 'must have 1 to 100 letters, digits, dots and dashes, such as 2026-11',
}

const byPattern = new Map(
  Object.entries(patterns).map(([name, pattern]) => [pattern as string, sentences[name as keyof typeof patterns]]),
)

/** The sentence for a text that does not match a pattern of the schemas. */
export const patternIssue = (pattern: unknown): string | undefined => byPattern.get(String(pattern))
