import type { CustomerCode } from '#provider/form/customerCode.ts'
import { parseJsonObject } from '#provider/form/jsonObject.ts'

type Plaintexts = Readonly<Record<string, string | undefined>>

/** What the code finds in `secrets`; empty where nothing is set. */
export const codeValuesOf = ({ values }: Pick<CustomerCode, 'values'>, secrets: Plaintexts): Record<string, unknown> =>
  parseJsonObject(secrets[values] || '{}') ?? {}

/** Every text that must not come out of a run: the plaintexts but the source itself, and what stands inside the values. */
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
