import { eventMappingCheck } from './eventMapping.ts'
import type { SecretSpec } from './secret.ts'
import { shape } from './valueChecks.ts'

type More = Omit<SecretSpec, 'label' | 'type' | 'description'>

/** Makes a variable of a type. `description`: what the value is and where the vendor's dashboard shows it. */
const variable =
  <T extends SecretSpec['type']>(type: T) =>
  <const M extends More = object>(label: string, description: string, more?: M) =>
    ({ label, type, description, ...more }) as { label: string; type: T; description: string } & NoInfer<M>

export const identifier = variable('IDENTIFIER')
export const text = variable('TEXT')
export const password = variable('PASSWORD')
export const checkbox = variable('CHECKBOX')

export const optional = { optional: true } as const

/** The code that marks events for the vendor's test mode. `where`: where the dashboard shows it. */
export const testEventCode = (where: string) =>
  text('Test event code', `${where} Events with this code appear there. Clear it when you are done.`, {
    optional: true,
    placeholder: 'TEST12345',
  })

export const browserPixel = checkbox(
  'Browser pixel',
  'The page loads the pixel as well. The vendor removes duplicates by the event id.',
  { optional: true, usedBy: 'browser' },
)

/** The version of the vendor's API, as a date. `date`: the version for which the provider file was written. */
export const apiVersionDate = (label: string, date: string, helpLink: string) =>
  text(label, 'The version of the API. Change it only when the vendor retires the default.', {
    optional: true,
    default: date,
    helpLink,
    check: (given: string) => (/^\d{4}-\d\d-\d\d$/.test(given) ? undefined : `Write a date: ${date}.`),
  })

/** The variable for `eventMapping`. `vendorId`: what the vendor's id is and where to find it. */
export const eventMapping = <const M extends More = object>(vendorId: string, example: string, more?: M) =>
  text('Events', `Pairs of an event name and ${vendorId}. Other events are not sent.`, {
    placeholder: `[["Purchase", "${example}"]]`,
    check: eventMappingCheck,
    ...more,
  } as { placeholder: string; check: typeof eventMappingCheck } & NoInfer<M>)

/** The `check` of a variable that is a URL. */
export const urlCheck = (url: string): string | undefined =>
  /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? undefined : 'Write a full URL: https://host/path.'

/** The `check` of an id as the vendor's dashboard shows it: one word, not a URL and not several ids. */
export const idCheck = shape(
  /^[\w.:-]{1,200}$/,
  'Write only the id: letters, digits, dots, colons, dashes and underscores.',
)

/** The `check` of an access token or a key: one word, without `Bearer`. */
export const tokenCheck = shape(/^[^\s"]{1,4000}$/, 'Write only the token, without spaces, quotes or the word Bearer.')

/** A base URL without trailing slashes, to which a path is appended. */
export function baseUrl(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** An optional variable with a fixed set of values. The first value is the default. */
export const choice = (label: string, description: string, choices: readonly string[]) =>
  text(label, description, {
    optional: true,
    default: choices[0]!,
    choices,
    check: (value: string) => (choices.includes(value) ? undefined : `Write one of ${choices.join(', ')}.`),
  })

const signingPrefix = 'whsec_'
/** The length of a key in bytes (Standard Webhooks specification). */
const signingKeyBytes = { least: 24, most: 64 }

/** The `check` of a signing secret of Standard Webhooks: a key of 24 to 64 bytes in base64 after `whsec_`, or any text. */
export const signingSecretCheck = (secret: string): string | undefined => {
  if (!secret.startsWith(signingPrefix)) return undefined
  const key = secret.slice(signingPrefix.length)
  const bytes = isBase64(key) ? Buffer.byteLength(key, 'base64') : 0
  return bytes >= signingKeyBytes.least && bytes <= signingKeyBytes.most
    ? undefined
    : 'After whsec_ write a key of 24 to 64 bytes in base64, as `openssl rand -base64 32` makes it.'
}

/**
 * The `toStored` of a signing secret: any other text becomes `whsec_` and the base64 of its bytes, which produces the
 * same signature.
 */
export const toSigningSecret = (secret: string): string =>
  secret.startsWith(signingPrefix) ? secret : `${signingPrefix}${Buffer.from(secret).toString('base64')}`

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

/** The members of a comma-separated list, trimmed. Empty members are omitted. */
export const commaList = (list = ''): string[] =>
  list
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean)
