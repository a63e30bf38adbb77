/**
 * The standard keys of a user. `customerId` is the id in the shop's own system. In an event, at the top level or in
 * `data`, each key has the prefix `user`: `userEmail`.
 */
export const standardKeys = [
  'email',
  'customerId',
  'phone',
  'firstName',
  'lastName',
  'gender',
  'dateOfBirth',
  'city',
  'state',
  'zip',
  'country',
] as const
export type StandardKey = (typeof standardKeys)[number]

/** The event field that holds a standard key: `email` → `userEmail`. */
export const standardKeyField = (key: StandardKey): string => `user${key[0]!.toUpperCase()}${key.slice(1)}`

/** The standard keys with their event fields: `email` → `userEmail`. */
export const userFields: readonly (readonly [key: StandardKey, field: string])[] = standardKeys.map((key) => [
  key,
  standardKeyField(key),
])

const isStandard: ReadonlySet<string> = new Set(standardKeys)

/** Whether a field name means personal data: a standard key, `ip`, `user`, `userEmail` and all other `user…` fields. */
export const isPersonalName = (name: string): boolean =>
  isStandard.has(name) || name === 'ip' || /^user($|[A-Z_])/.test(name)
