import type { Clock } from '../../src/kit/clock.ts'

/** A fake clock, whose time moves only by `turn`. */
export type TurnedClock = Clock & {
  /** Advances the time; waits that end by then resolve in order, each at its own time. */
  turn(ms: number): Promise<void>
  /** The number of pending waits. */
  sleeping(): number
  /** Sets the wall clock forward or back, which resolves no wait. */
  set(byMs: number): void
}

const nextTask = () => new Promise<void>((resolve) => setImmediate(resolve))

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
        if (signal?.aborted || ms < 0) return resolve()
        const sleeper = {
          at: now + ms,
          wake() {
            if (!sleepers.delete(sleeper)) return
            signal?.removeEventListener('abort', sleeper.wake)
            resolve()
          },
        }
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
        await nextTask()
      }
      now = until
      await nextTask()
    },
  }
}

/** The first 20 pauses only yield to the event loop; later ones last 2 ms, to leave CPU time to other work. */
const pause = (tries: number) => (tries < 20 ? nextTask() : new Promise<void>((resolve) => setTimeout(resolve, 2)))

/** Waits until `holds` returns a truthy value; throws an Error that names `what` after `withinMs` of real time. */
export async function until(what: string, holds: () => unknown | Promise<unknown>, withinMs = 20_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  for (let tries = 0; !(await holds()); tries++) {
    if (performance.now() > giveUpAt) throw new Error(`timed out waiting for: ${what}`)
    await pause(tries)
  }
}
