import type { Clock } from '#kit/clock.ts'

/**
 * The keys (`ResolvedUser.waitsFor`) whose held events were just released. Later events with the same key queue
 * behind them.
 */
export type RecentConsents = ReturnType<typeof openRecentConsents>

/** How long the order is kept. By then the released events are delivered, or have failed and lost their order. */
const orderedMs = 600_000

export function openRecentConsents({ clock }: { clock: Clock }) {
  const until = new Map<string, number>()
  const keyOf = (tagId: string, waitsFor: string) => `${tagId} ${waitsFor}`

  function forgetOld(): void {
    for (const [key, at] of until) {
      if (at > clock.now()) return // oldest first
      until.delete(key)
    }
  }
  return {
    add(tagId: string, waitsFor: string): void {
      forgetOld()
      until.delete(keyOf(tagId, waitsFor))
      until.set(keyOf(tagId, waitsFor), clock.now() + orderedMs)
    },
    /**
     * The order key of an event that must queue behind events held for one of these keys; undefined if none were held.
     */
    queueOf(tagId: string, waitKeys: readonly (string | undefined)[]): string | undefined {
      if (until.size === 0) return undefined
      return waitKeys.find((each) => each && (until.get(keyOf(tagId, each)) ?? 0) > clock.now())
    },
  }
}
