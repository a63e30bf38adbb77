import type { Clock } from '#kit/clock.ts'
import type { PlannedEvent } from '#store/store.ts'

/** The users whose held events were let go a moment ago: what comes of them next is delivered behind those. */
export type Agreed = {
  add(tagId: string, userId: string): void
  /** The queue that an event waits in behind what was held; undefined where nothing was. */
  queueOf(event: Pick<PlannedEvent, 'tagId' | 'userId' | 'joined'>): string | undefined
}

/** By then what was held has been delivered, or has failed: then its order is lost anyway. */
const momentMs = 600_000

export function openAgreed({ clock }: { clock: Clock }): Agreed {
  const until = new Map<string, number>()
  const nameOf = (tagId: string, userId: string) => `${tagId} ${userId}`

  function forgetOld(): void {
    for (const [name, at] of until) {
      if (at > clock.now()) return // oldest first
      until.delete(name)
    }
  }
  return {
    add(tagId, userId) {
      forgetOld()
      until.delete(nameOf(tagId, userId))
      until.set(nameOf(tagId, userId), clock.now() + momentMs)
    },
    queueOf({ tagId, userId, joined }) {
      if (until.size === 0) return undefined
      return [userId, joined].find((each) => each && (until.get(nameOf(tagId, each)) ?? 0) > clock.now())
    },
  }
}
