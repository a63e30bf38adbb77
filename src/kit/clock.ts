/** Time as a dependency, so that a test can control it. */
export type Clock = {
  /** The current time as epoch ms. */
  now(): number
  /** Resolves after `ms`, at most 24 days; at once if `ms` is not positive or the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

/** Node fires a longer timer after 1 ms, with a warning. */
const maxTimerMs = 2 ** 31 - 1
/** NaN, which a broken clock may lead to, counts as 0. */
const timerMs = (ms: number) => Math.min(maxTimerMs, Math.max(0, ms || 0))

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, timerMs(ms))
      signal?.addEventListener('abort', done, { once: true })
    }),
}
