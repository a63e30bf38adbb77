import type { TagEvent } from '#contract/event.ts'
import { type StandardKey, standardKeyField, standardKeys } from '#contract/standardKeys.ts'

/** `userId`: Aglet's id of the visitor. */
export type PersonKey = StandardKey | 'userId' | 'ip' | 'userAgent'

/** The known values of a person, neither normalised nor hashed. */
export type RawPerson = Readonly<Partial<Record<PersonKey, string>>>

/** The fields of an event, at its top or in `data`, that hold a standard key: `userEmail`, `userPhone`, … */
export const personFields: readonly string[] = standardKeys.map(standardKeyField)

/** The values of a person that an event holds: `userEmail`, … at its top or in `data`, `ip` and `userAgent`. */
export function personOf(event: TagEvent): RawPerson {
  const fields = { ...event.data, ...event }
  const entries = [
    ...standardKeys.map((key) => [key, fields[standardKeyField(key)]] as const),
    ...(['ip', 'userAgent'] as const).map((key) => [key, event[key]] as const),
  ]
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value))
}
