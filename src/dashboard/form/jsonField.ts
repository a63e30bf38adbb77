/** The value of a JSON field: undefined if blank; `isBroken` if it is not JSON. */
type JsonField = { value?: unknown; isBroken: boolean }

export function parseJsonField(text: string): JsonField {
  if (text.trim() === '') return { isBroken: false }
  try {
    return { value: JSON.parse(text), isBroken: false }
  } catch {
    return { isBroken: true }
  }
}
