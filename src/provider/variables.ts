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

/** The members of a list divided by commas. */
export const listed = (list = ''): string[] =>
  list
    .split(',')
    .map((member) => member.trim())
    .filter(Boolean)
