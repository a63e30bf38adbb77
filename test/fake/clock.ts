import type { Clock } from '../../src/kit/clock.ts'

/** A clock that stands still until it is turned. */
export type TurnedClock = Clock & {
  /** Moves the time on; who waits until then wakes in order, each at its own time. */
  turn(ms: number): Promise<void>
  /** How many wait for it. */
  sleeping(): number
  /** Sets the time of day forward or back: nobody wakes by that. */
  set(byMs: number): void
}

const breath = () => new Promise<void>((resolve) => setImmediate(resolve))

export function turnedClock(startMs = Date.UTC(2026, 10, 20)): TurnedClock {
  let now = startMs
  let setMs = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  const first = (untilMs: number) =>
    [...sleepers].filter((each) => each.at <= untilMs).sort((one, other) => one.at - other.at)[0]
  return {
    now: () => now + setMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper = { at: now + ms, wake: () => sleepers.delete(sleeper) && resolve() }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', sleeper.wake, { once: true })
      }),
    sleeping: () => sleepers.size,
    set(byMs) {
      setMs += byMs
    },
    async turn(ms) {
      const until = now + ms
      for (let next = first(until); next; next = first(until)) {
        now = Math.max(now, next.at)
        next.wake()
        await breath()
      }
      now = until
      await breath()
    },
  }
}

/** Looks at once and often at first; whoever waits longer leaves the processor to those that it waits for. */
const pause = (looks: number) => (looks < 20 ? breath() : new Promise<void>((resolve) => setTimeout(resolve, 2)))

/** Waits until it holds; says what did not come when it takes longer than `withinMs` of real time. */
export async function until(what: string, holds: () => unknown | Promise<unknown>, withinMs = 20_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let looks = 0; !(await holds()); looks++) {
    if (performance.now() > giveUpAt) throw new Error(`waited in vain: ${what}`)
    await pause(looks)
  }
}
