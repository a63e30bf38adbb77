import type { CustomerCode } from '#provider/form/customerCode.ts'
import { parseJsonObject } from '#provider/form/jsonObject.ts'

type Plaintexts = Readonly<Record<string, string | undefined>>

/** The values that the code gets as `secrets`; empty where none are set. */
export const codeValuesOf = ({ values }: Pick<CustomerCode, 'values'>, secrets: Plaintexts): Record<string, unknown> =>
  parseJsonObject(secrets[values] || '{}') ?? {}

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
