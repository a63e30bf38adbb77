import { type Fields, textOf } from './values.ts'

/** The target field of a property, and how to read its value. `read` returns undefined for an unreadable value. */
type FieldRule = readonly [field: string, read: (value: unknown) => unknown]
export type FieldTable = ReadonlyMap<string, FieldRule>

export const fieldTable = (rules: Readonly<Record<string, FieldRule>>): FieldTable => new Map(Object.entries(rules))

/** The discounts of an event or an item with this coupon code. */
export function discountsOf(coupon: unknown): { code: string }[] | undefined {
  const code = textOf(coupon)
  return code === undefined ? undefined : [{ code }]
}

/**
 * Adds properties to `into`: mapped ones under their field; unmapped and unreadable ones under their own name. If two
 * properties map to one field, the first one counts. One loop without copies, because it runs for each event.
 */
export function mapFields(properties: Fields, table: FieldTable, into: Record<string, unknown>): void {
  for (const name in properties) {
    const value = properties[name]
    const rule = table.get(name)
    const read = rule?.[1](value)
    if (read !== undefined && into[rule![0]] === undefined) into[rule![0]] = read
    // an assignment to this name would set the prototype
    else if (name !== '__proto__') into[name] = value
  }
}
