/** A condition variable: `notify` wakes all waiting callers. */
type Signal = {
  notify(): void
  /** Resolves at the next `notify`, or when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>
}

export function createSignal(): Signal {
  const waiting = new Set<() => void>()
  return {
    notify() {
      for (const wake of [...waiting]) wake()
    },
    wait: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      }),
  }
}
