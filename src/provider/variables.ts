import { mappingCheck } from './events.ts'
import type { SecretSpec } from './provider.ts'

type More = Omit<SecretSpec, 'label' | 'type' | 'description'>

/** A variable of a type: its label, what it is and where the vendor's dashboard shows it, and what else is to be said. */
const variable =
  <T extends SecretSpec['type']>(type: T) =>
  <const M extends More = object>(label: string, description: string, more?: M) =>
    ({ label, type, description, ...more }) as { label: string; type: T; description: string } & NoInfer<M>

export const identifier = variable('IDENTIFIER')
export const text = variable('TEXT')
export const password = variable('PASSWORD')
export const checkbox = variable('CHECKBOX')

export const optional = { optional: true } as const

/** The code by which the vendor's test mode knows what belongs to it. `where` says where it is shown. */
export const testEventCode = (where: string) =>
  text('Test event code', `${where} What carries it shows there: clear it when you are done.`, {
    optional: true,
    placeholder: 'TEST12345',
  })

export const browserPixel = checkbox(
  'Browser pixel',
  'The page is to load the pixel as well; events that come twice are merged by their id.',
  { optional: true, usedBy: 'browser' },
)

/** The version of the vendor's API, as a date: the one that the file was written for, unless the customer needs another. */
export const apiDate = (label: string, date: string, helpLink: string) =>
  text(label, 'The date of the API to speak; leave it unless the vendor retires this one.', {
    optional: true,
    default: date,
    helpLink,
    check: (given: string) => (/^\d{4}-\d\d-\d\d$/.test(given) ? undefined : `Write a date: ${date}.`),
  })

/** Pairs of our events and the vendor's ids (`mapping`). `theirs` says what the id is and where it is found. */
export const eventPairs = <const M extends More = object>(theirs: string, example: string, more?: M) =>
  text('Events', `Which event is which of the vendor's: pairs of a name and ${theirs}. Others are not sent.`, {
    placeholder: `[["Purchase", "${example}"]]`,
    check: mappingCheck,
    ...more,
  } as { placeholder: string; check: typeof mappingCheck } & NoInfer<M>)

/** For the `check` of a variable that is an address. */
export const addressCheck = (address: string): string | undefined =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? '') ? undefined : 'Write a full address: https://host/path.'

/** An address at which a path begins: without the slashes at its end. */
export function baseOf(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}

/** For the `check` of a variable that is one of a few words. */
export const oneOfCheck = (words: readonly string[]) => (word: string) =>
  words.includes(word) ? undefined : `Write one of ${words.join(', ')}.`

/** For the `check` of a secret that signs as Standard Webhooks describes: base64 after `whsec_`, or any other text. */
export const signingSecretCheck = (secret: string): string | undefined =>
  !secret.startsWith('whsec_') || isBase64(secret.slice('whsec_'.length))
    ? undefined
    : 'After whsec_ write the key in base64; or any text without whsec_.'

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

/** The members of a list divided by commas. */
export const listed = (list = ''): string[] =>
  list
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean)
