/** The value of a field with JSON: undefined for a blank one, and an issue where it is none. */
type JsonField = { value?: unknown; isBroken: boolean }

export function parseJsonField(text: string): JsonField {
  if (text.trim() === '') return { isBroken: false }
  try {
    return { value: JSON.parse(text), isBroken: false }
  } catch {
    return { isBroken: true }
  }
}
