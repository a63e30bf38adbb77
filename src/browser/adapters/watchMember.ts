type WatchedMember = {
  name: string
  owner: object
  absent: object | undefined
  replace: (value: object) => object | undefined
  safely: <Result>(run: () => Result) => Result | undefined
}

/**
 * Replaces a member of an object, now and at each assignment: the tool's own code may set it later or again. A member
 * that cannot be made an accessor (a global declared by `var`) is replaced once. Several watchers of one member are
 * chained.
 */
export function watchMember({ name, owner, absent, replace, safely }: WatchedMember): void {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  const replaced = new WeakMap<object, object>()
  const replaceOnce = (value: unknown): unknown => {
    if (!value || !/^(object|function)$/.test(typeof value)) return value
    const known = replaced.get(value as object)
    if (known) return known
    replaced.set(value as object, value as object) // the replacement itself may assign the member
    const result = safely(() => replace(value as object)) ?? (value as object)
    replaced.set(value as object, result)
    replaced.set(result, result)
    return result
  }
  const members = owner as Record<string, unknown>
  let current = replaceOnce(members[name] ?? absent)
  try {
    Object.defineProperty(owner, name, {
      configurable: true,
      enumerable: true,
      get: () => current,
      set(value) {
        before?.set?.call(owner, value)
        current = replaceOnce(before?.get ? before.get.call(owner) : value)
      },
    })
  } catch {
    safely(() => {
      members[name] = current
    })
  }
}
