/** One setting of a plugin, as a form shows its JSON Schema. */
export type PluginField = {
  name: string
  label: string
  kind: 'text' | 'number' | 'yesNo' | 'choice' | 'lines' | 'json'
  description: string | undefined
  isRequired: boolean
  choices: readonly string[]
}

type Schema = {
  type?: string
  enum?: readonly unknown[]
  title?: string
  description?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
}

/** The control of a setting; anything but a simple value is edited as JSON. */
function kindOf({ type, enum: choices, items }: Schema): PluginField['kind'] {
  if (choices?.every((each) => typeof each === 'string')) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'yesNo'
  return type === 'array' && items?.type === 'string' ? 'lines' : 'json'
}

/** The fields of the JSON Schema of a plugin's settings, in its order. */
export function pluginFields(schema: object | undefined): PluginField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    label: property.title ?? name,
    kind: kindOf(property),
    description: property.description,
    isRequired: required.includes(name),
    choices: kindOf(property) === 'choice' ? (property.enum as string[]) : [],
  }))
}

/** A value as the text of its field. */
export function settingText({ kind }: Pick<PluginField, 'kind'>, value: unknown): string {
  if (value === undefined) return ''
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n')
  return kind === 'json' ? JSON.stringify(value, undefined, 2) : String(value)
}

/** The value of a field's text; undefined if empty. Text that is not JSON stays text, which the server refuses. */
export function settingValue({ kind }: Pick<PluginField, 'kind'>, text: string): unknown {
  if (text.trim() === '') return undefined
  if (kind === 'number') return Number(text)
  if (kind === 'yesNo') return text === 'true'
  if (kind === 'lines')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The list with the entry at `from` moved by `step`; unchanged at its ends. */
export function moved<Entry>(entries: readonly Entry[], from: number, step: -1 | 1): Entry[] {
  const to = from + step
  const next = [...entries]
  if (to < 0 || to >= entries.length) return next
  next[from] = entries[to]!
  next[to] = entries[from]!
  return next
}
