import type { TObject, TSchema } from '#contract/schema.ts'

type FieldShape = TSchema & { type?: string; items?: FieldShape }

const parseText = ({ type }: FieldShape, text: string): unknown =>
  type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text

function parseField(field: FieldShape, value: unknown): unknown {
  if (field.type === 'array' && field.items) {
    const { items } = field
    // A field that is repeated arrives as a list.
    const texts = Array.isArray(value) ? value : [value]
    return texts.every((each) => typeof each === 'string')
      ? texts.flatMap((each) => each.split(',')).map((each) => parseText(items, each.trim()))
      : value
  }
  return typeof value === 'string' ? parseText(field, value) : value
}

/**
 * The values of a path or query by the types of their schema: integers from text, and lists from commas. Other text is
 * kept; the schema of a query refuses it.
 */
export function parseQuery({ properties }: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(properties).map(([name, field]) => [name, parseField(field as FieldShape, query[name])])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}
