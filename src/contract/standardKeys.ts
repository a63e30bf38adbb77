/** The standard keys of a user. `customerId` is the id in the shop's own system. In an event, at the top or in `data`, each has the prefix `user`: `userEmail`. */
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

/** The field of an event that holds a standard key: `email` → `userEmail`. */
export const standardKeyField = (key: StandardKey): string => `user${key[0]!.toUpperCase()}${key.slice(1)}`

/** The standard keys with their names in an event: `email` → `userEmail`. */
export const userFields: readonly (readonly [key: StandardKey, field: string])[] = standardKeys.map((key) => [
  key,
  standardKeyField(key),
])

const isStandard: ReadonlySet<string> = new Set(standardKeys)

/** The name of a field with a person's data: a standard key, `ip`, `user`, `userEmail` and all other `user…` fields. */
export const isPersonalName = (name: string): boolean =>
  isStandard.has(name) || name === 'ip' || /^user($|[A-Z_])/.test(name)
