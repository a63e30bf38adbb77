import type { Clock } from '#kit/clock.ts'

/** What held events waited for (`Whose.waitsFor`) that were let go a moment ago: what comes next of the same goes behind those. */
export type Agreed = {
  add(tagId: string, waitsFor: string): void
  /** The queue that an event waits in behind what was held for one of these; undefined where nothing was. */
  queueOf(tagId: string, names: readonly (string | undefined)[]): string | undefined
}

/** By then what was held has been delivered, or has failed: then its order is lost anyway. */
const momentMs = 600_000

export function openAgreed({ clock }: { clock: Clock }): Agreed {
  const until = new Map<string, number>()
  const nameOf = (tagId: string, waitsFor: string) => `${tagId} ${waitsFor}`

  function forgetOld(): void {
    for (const [name, at] of until) {
      if (at > clock.now()) return // oldest first
      until.delete(name)
    }
  }
  return {
    add(tagId, waitsFor) {
      forgetOld()
      until.delete(nameOf(tagId, waitsFor))
      until.set(nameOf(tagId, waitsFor), clock.now() + momentMs)
    },
    queueOf(tagId, names) {
      if (until.size === 0) return undefined
      return names.find((each) => each && (until.get(nameOf(tagId, each)) ?? 0) > clock.now())
    },
  }
}
