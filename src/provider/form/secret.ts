import type { SecretType } from '#contract/script.ts'

/**
 * Returns a sentence about the error in a value, without repeating the value. Undefined for a valid value. `pattern`:
 * the source of the regular expression, if that is the whole check.
 */
export type ValueCheck = { (text: string): string | undefined; readonly pattern?: string }

/** A variable of a provider, set by the customer. The type PASSWORD is sensitive; the other types are not by default. */
export type SecretSpec = {
  label: string
  type: SecretType
  optional?: true
  /** The value for `request` if an optional variable is not set. */
  default?: string
  sensitive?: boolean
  /** What the value is, and where the vendor's dashboard shows it. */
  description?: string
  placeholder?: string
  helpLink?: string
  /** Why a sensitive value is part of the URL: the vendor accepts it nowhere else. Required for every such value. */
  whyInUrl?: string
  /** The value is one label of the request's host name and is validated as one. */
  isHostLabel?: true
  /** Used by the browser module, the customer's code or `limitsOf` of `batch`, and not by `request`. */
  usedBy?: 'browser' | 'code' | 'batch'
  /** The only valid values. */
  choices?: readonly string[]
  /** The vendor's host for each choice, if the choice is a region. */
  regionHosts?: Readonly<Record<string, string>>
  /** The format of the text, if the other members do not show it: a JSON object, or a comma-separated list. */
  input?: 'json' | 'list'
  check?: ValueCheck
  /** Converts a valid value to its stored form, if several forms mean the same. Idempotent. */
  toStored?: (text: string) => string
}
export type SecretSpecs = Record<string, SecretSpec>

export const isSensitive = ({ sensitive, type }: SecretSpec) => sensitive ?? type === 'PASSWORD'

type MayBeAbsent<Spec> = Spec extends { default: string } ? false : Spec extends { optional: true } ? true : false

/** The values for `request`. An optional variable without a default may be absent and is never empty. */
export type SecretsOf<S extends SecretSpecs> = {
  readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? never : K]: string
} & { readonly [K in keyof S as MayBeAbsent<S[K]> extends true ? K : never]?: string }

/** Whether a text is a valid host label: `eu-central-1`. */
export const isHostLabel = (text: string) => /^[a-z0-9-]{1,63}$/.test(text)

/** The `check` of a variable that is a host label. */
export const hostLabelCheck = (text: string) =>
  isHostLabel(text) ? undefined : 'Write only lower-case letters, digits and dashes, at most 63.'
