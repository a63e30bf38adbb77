import { parseJson } from '#kit/json.ts'
/** Parses a JSON object. Undefined for any other text. */
export function parseJsonObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseJson(json)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
