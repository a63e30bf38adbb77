const lookMs = 250
const looks = 3

/** How late the event loop comes. */
export type LoopDelay = {
  /** The least of the last few looks: one long pause is none, and the first look in time ends it. */
  ms(): number
  stop(): void
}

/** What was measured, kept as the last few. Pure but for what it remembers. */
export function latest(count = looks) {
  const kept: number[] = []
  return {
    add(ms: number) {
      kept.push(Math.max(0, ms))
      if (kept.length > count) kept.shift()
    },
    least: () => (kept.length < count ? 0 : Math.min(...kept)),
  }
}

/** Looks every quarter of a second by how much a timer is late. Keeps no process alive. */
export function watchLoop(now: () => number = performance.now.bind(performance)): LoopDelay {
  const delays = latest()
  let expected = now() + lookMs
  const timer = setInterval(() => {
    delays.add(Math.round(now() - expected))
    expected = now() + lookMs
  }, lookMs)
  timer.unref()
  return { ms: delays.least, stop: () => clearInterval(timer) }
}
