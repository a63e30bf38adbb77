/** A semaphore per name, with `limit` slots. Disposing of a slot releases it. */
export type Slots = {
  /** Returns undefined if all slots of the name are taken. */
  take(name: string): Disposable | undefined
}

export function openSlots(limit: () => number): Slots {
  const taken = new Map<string, number>()
  const release = (name: string) => {
    const left = (taken.get(name) ?? 1) - 1
    if (left > 0) taken.set(name, left)
    else taken.delete(name)
  }
  return {
    take(name) {
      const before = taken.get(name) ?? 0
      if (before >= limit()) return undefined
      taken.set(name, before + 1)
      let isHeld = true
      return {
        [Symbol.dispose]() {
          if (isHeld) release(name)
          isHeld = false
        },
      }
    },
  }
}
