import type { SecretType } from '#contract/script.ts'

/**
 * Returns a sentence that says what is wrong with a value, without repeating the value; undefined for a valid one.
 * `pattern`: the source of the regular expression that the value matches, where that is the whole check.
 */
export type ValueCheck = { (text: string): string | undefined; readonly pattern?: string }

/** A variable of a provider, set by the customer. The type PASSWORD is sensitive; the other types are not by default. */
export type SecretSpec = {
  label: string
  type: SecretType
  optional?: true
  /** The value that `request` gets where an optional variable is not set. */
  default?: string
  sensitive?: boolean
  /** What the value is, and where it is found in the vendor's dashboard. */
  description?: string
  placeholder?: string
  helpLink?: string
  /**
   * Why a sensitive value is part of the URL. Required for every sensitive value that is: the vendor takes it nowhere
   * else.
   */
  whyInUrl?: string
  /** The value is one label of the request's host name, and is checked as one. */
  isHostLabel?: true
  /** The value is read by the browser module, the customer's code or `limitsOf` of `batch`, and not by `request`. */
  usedBy?: 'browser' | 'code' | 'batch'
  /** The only valid values. */
  choices?: readonly string[]
  /** The vendor's host for each choice, where the choice is a region. */
  regionHosts?: Readonly<Record<string, string>>
  /** What the text is, where the form cannot tell from the other members: a JSON object, or a comma list. */
  input?: 'json' | 'list'
  check?: ValueCheck
  /** The form in which a valid value is stored, where several forms mean the same. It leaves its own result unchanged. */
  toStored?: (text: string) => string
}
export type SecretSpecs = Record<string, SecretSpec>

export const isSensitive = ({ sensitive, type }: SecretSpec) => sensitive ?? type === 'PASSWORD'

type MayBeAbsent<Spec> = Spec extends { default: string } ? false : Spec extends { optional: true } ? true : false

/** The values that `request` gets. An optional variable without a default may be absent, and is never empty. */
export type SecretsOf<S extends SecretSpecs> = {
  readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? never : K]: string
} & { readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? K : never]?: string }

/** Whether a text is a valid label of a host name: `eu-central-1`. */
export const isHostLabel = (text: string) => /^[a-z0-9-]{1,63}$/.test(text)

/** The `check` of a variable that is a host label. */
export const hostLabelCheck = (text: string) =>
  isHostLabel(text) ? undefined : 'Write only lower-case letters, digits and dashes, at most 63.'
