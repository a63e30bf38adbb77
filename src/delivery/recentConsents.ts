import type { Clock } from '#kit/clock.ts'

/**
 * The keys (`ResolvedUser.waitsFor`) whose held events were just released. Later events of the same key go behind
 * those.
 */
export type RecentConsents = {
  add(tagId: string, waitsFor: string): void
  /** The order key of an event that goes behind the events held for one of these; undefined if none were held. */
  queueOf(tagId: string, waitKeys: readonly (string | undefined)[]): string | undefined
}

/** How long the order is kept. By then the released events are delivered, or failed and lost their order. */
const orderedMs = 600_000

export function openRecentConsents({ clock }: { clock: Clock }): RecentConsents {
  const until = new Map<string, number>()
  const keyOf = (tagId: string, waitsFor: string) => `${tagId} ${waitsFor}`

  function forgetOld(): void {
    for (const [key, at] of until) {
      if (at > clock.now()) return // oldest first
      until.delete(key)
    }
  }
  return {
    add(tagId, waitsFor) {
      forgetOld()
      until.delete(keyOf(tagId, waitsFor))
      until.set(keyOf(tagId, waitsFor), clock.now() + orderedMs)
    },
    queueOf(tagId, waitKeys) {
      if (until.size === 0) return undefined
      return waitKeys.find((each) => each && (until.get(keyOf(tagId, each)) ?? 0) > clock.now())
    },
  }
}
