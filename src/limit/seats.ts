/** Places that at most so many users of one name hold at once. Disposing of a place gives it back. */
export type Seats = {
  /** Undefined where all places of the name are taken. */
  take(name: string): Disposable | undefined
}

export function openSeats(limit: () => number): Seats {
  const taken = new Map<string, number>()
  const giveBack = (name: string) => {
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
          if (isHeld) giveBack(name)
          isHeld = false
        },
      }
    },
  }
}
