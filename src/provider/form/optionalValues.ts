/** `[value]`. Undefined if there is no value. */
export const asList = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value])

/** Each member as a list of one, for vendors whose fields take several values. Undefined members are omitted. */
export function asLists<K extends string>(
  members: Readonly<Partial<Record<K, string | undefined>>>,
): Partial<Record<K, string[]>> {
  const lists: Partial<Record<K, string[]>> = {}
  for (const key in members) if (members[key] !== undefined) lists[key] = [members[key]]
  return lists
}

/** The object. Undefined if all members are undefined. */
export const unlessEmpty = <T extends object>(members: T): T | undefined =>
  Object.values(members).some((member) => member !== undefined) ? members : undefined
