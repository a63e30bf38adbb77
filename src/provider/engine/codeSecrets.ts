import type { CustomerCode } from '#provider/form/customerCode.ts'
import { parseJsonObject } from '#provider/form/jsonObject.ts'

type Plaintexts = Readonly<Record<string, string | undefined>>

/** The values that the code receives as `secrets`. Empty if none are set. */
export const codeValuesOf = ({ values }: Pick<CustomerCode, 'values'>, secrets: Plaintexts): Record<string, unknown> =>
  parseJsonObject(secrets[values] || '{}') ?? {}

/** The other secret that `requireSecret` can read: the token of calls from outside. */
export const codeTokenOf = ({ token }: Pick<CustomerCode, 'token'>, secrets: Plaintexts): Record<string, string> =>
  token && secrets[token] ? { [token]: secrets[token] } : {}

/** The names that the code passes to `requireSecret` as string literals. */
const requiredNames = (source: string): Set<string> =>
  new Set([...source.matchAll(/\brequireSecret\(\s{0,9}(['"`])([\w$.-]{1,100})\1/g)].map(([, , name]) => name!))

/** The names passed to `requireSecret` that are absent, empty or not texts. */
export function missingCodeSecrets(code: CustomerCode, secrets: Plaintexts): string[] {
  const set: Record<string, unknown> = { ...codeTokenOf(code, secrets), ...codeValuesOf(code, secrets) }
  const isSet = (name: string) => Object.hasOwn(set, name) && typeof set[name] === 'string' && set[name] !== ''
  return [...requiredNames(secrets[code.source] ?? '')].filter((name) => !isSet(name))
}

/** All texts to redact from the output of a run: the plaintexts except the source, and the texts inside the values. */
export function codeSecretTexts(code: Pick<CustomerCode, 'source' | 'values'>, secrets: Plaintexts): string[] {
  const plain = Object.entries(secrets).flatMap(([variable, value]) =>
    variable !== code.source && value ? [value] : [],
  )
  return [...plain, ...textsIn(codeValuesOf(code, secrets))]
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return typeof value === 'string' || typeof value === 'number' ? [`${value}`] : []
}
