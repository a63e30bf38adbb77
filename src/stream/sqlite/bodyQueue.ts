/**
 * Bodies that wait to be leased, by owner. Owners take turns by deficit round robin (Shreedhar and Varghese, 1995): each is given
 * as many events as any other that waits, whatever the sizes of the bodies. The bodies of one owner keep their order.
 */
export type BodyQueue = {
  /** `events`: how many of its events are fresh, from 1 to 500. */
  add(owner: string, position: number, events: number): void
  /** Takes out the next body. */
  next(): { position: number; events: number } | undefined
  size(): number
}

/** Events that an owner is given in a turn. */
const quantum = 16
/** A position and a count in one number: a million bodies that wait take 8 MB. */
const slots = 1_024

type Owner = { bodies: number[]; head: number; deficit: number }

/** Takes out the first; what was taken out is let go in large pieces. */
function shift(owner: Owner): number {
  const first = owner.bodies[owner.head++]!
  if (owner.head >= 1_000 && owner.head * 2 >= owner.bodies.length) {
    owner.bodies.splice(0, owner.head)
    owner.head = 0
  }
  return first
}

export function bodyQueue(): BodyQueue {
  /** In the order of their turns. */
  const owners = new Map<string, Owner>()
  let size = 0

  const toTheEnd = (name: string, owner: Owner) => {
    owners.delete(name)
    owners.set(name, owner)
  }

  return {
    size: () => size,
    add(name, position, events) {
      const owner = owners.get(name) ?? { bodies: [], head: 0, deficit: quantum }
      owners.set(name, owner)
      owner.bodies.push(position * slots + events)
      size++
    },
    next() {
      for (const [name, owner] of owners) {
        if (owner.deficit <= 0) {
          owner.deficit += quantum
          toTheEnd(name, owner) // a Map goes on to what is added while it is gone through
          continue
        }
        const first = shift(owner)
        const events = first % slots
        owner.deficit -= events
        size--
        if (owner.head === owner.bodies.length) owners.delete(name)
        return { position: Math.floor(first / slots), events }
      }
      return undefined
    },
  }
}
