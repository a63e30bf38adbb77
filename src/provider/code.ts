import { parseJson } from '#kit/json.ts'
import type { Code, SecretSpec } from './provider.ts'
import { text } from './variables.ts'

/**
 * The source of a customer's function. Whoever reads the script reads it: it is no place for secrets. It has no `check`: to
 * parse it may take seconds, so a process of its own does it (sandbox/parse.ts).
 */
export const codeVariable = (description: string, placeholder: string) =>
  text('Code', description, { placeholder, usedBy: 'code' })

/** Values that code may read: a JSON object of named texts. */
export const codeValues = (description: string) =>
  text('Secrets', description, {
    optional: true,
    sensitive: true,
    placeholder: '{"PRIVATE_APP_ACCESS_TOKEN": "…"}',
    check: valuesCheck,
    usedBy: 'code',
  }) satisfies SecretSpec

const objectIn = (json: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = parseJson(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const valuesCheck = (json: string): string | undefined =>
  objectIn(json) ? undefined : 'Write a JSON object: {"NAME": "value"}.'

type Plaintexts = Readonly<Record<string, string | undefined>>

/** What the code finds in `secrets`; empty where nothing is set. */
export const valuesOf = ({ values }: Pick<Code, 'values'>, secrets: Plaintexts): Record<string, unknown> =>
  objectIn(secrets[values] || '{}') ?? {}

/** Every text that must not come out of a run: the plaintexts but the source itself, and what stands inside the values. */
export function hiddenTexts(code: Pick<Code, 'source' | 'values'>, secrets: Plaintexts): string[] {
  const plain = Object.entries(secrets).flatMap(([variable, value]) =>
    variable !== code.source && value ? [value] : [],
  )
  return [...plain, ...textsIn(valuesOf(code, secrets))]
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn)
  return typeof value === 'string' || typeof value === 'number' ? [`${value}`] : []
}
