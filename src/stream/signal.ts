/** A condition variable: `notify` wakes all waiting callers. */
export function createSignal() {
  const waiting = new Set<() => void>()
  return {
    notify(): void {
      for (const wake of [...waiting]) wake()
    },
    /** Resolves at the next `notify`, or when the signal is aborted. */
    wait: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
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
