/** Events that an owner gets in a turn. */
const quantum = 16
/** A position and a count are packed into one number, so that a million waiting bodies take 8 MB. */
const countBase = 1_024

type Owner = { bodies: number[]; head: number; deficit: number }

/** Removes the first body. The array is compacted in large steps, so that a removal takes O(1) amortized. */
function shift(owner: Owner): number {
  const first = owner.bodies[owner.head++]!
  if (owner.head >= 1_000 && owner.head * 2 >= owner.bodies.length) {
    owner.bodies.splice(0, owner.head)
    owner.head = 0
  }
  return first
}

/**
 * The bodies that wait for a lease, by owner. Owners take turns by deficit round robin (Shreedhar and Varghese, 1995):
 * each gets as many events as any other waiting owner, whatever the sizes of the bodies. The bodies of an owner keep
 * their order.
 */
export function bodyQueue() {
  /** The owners in the order of their turns. */
  const owners = new Map<string, Owner>()
  let size = 0

  const moveToEnd = (name: string, owner: Owner) => {
    owners.delete(name)
    owners.set(name, owner)
  }

  return {
    size: () => size,
    /** `events`: the number of new events in the body, from 1 to 500. */
    add(name: string, position: number, events: number): void {
      const owner = owners.get(name) ?? { bodies: [], head: 0, deficit: quantum }
      owners.set(name, owner)
      owner.bodies.push(position * countBase + events)
      size++
    },
    /** Removes and returns the next body. */
    next(): { position: number; events: number } | undefined {
      for (const [name, owner] of owners) {
        if (owner.deficit <= 0) {
          owner.deficit += quantum
          moveToEnd(name, owner) // the iteration also visits entries that are added during it
          continue
        }
        const first = shift(owner)
        const events = first % countBase
        owner.deficit -= events
        size--
        if (owner.head === owner.bodies.length) owners.delete(name)
        return { position: Math.floor(first / countBase), events }
      }
      return undefined
    },
  }
}
