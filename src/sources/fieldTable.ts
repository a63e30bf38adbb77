import type { Fields } from './values.ts'

/** What becomes of a property: the field, and how its value is read. Undefined is a value that cannot be read. */
type FieldRule = readonly [field: string, read: (value: unknown) => unknown]
export type FieldTable = ReadonlyMap<string, FieldRule>

export const fieldTable = (rules: Readonly<Record<string, FieldRule>>): FieldTable => new Map(Object.entries(rules))

/**
 * Adds the properties to `into`: those of the table as its fields, each other one, and one that cannot be read, under
 * its own name. Of two properties for one field the first is taken. One loop and no copies: it runs for each event.
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
