/** Wakes those who wait for something to happen. */
export type Bell = {
  ring(): void
  /** Resolves at the next ring, or when the signal is aborted. */
  heard(signal: AbortSignal): Promise<void>
}

export function makeBell(): Bell {
  const sleepers = new Set<() => void>()
  return {
    ring() {
      for (const wake of [...sleepers]) wake()
    },
    heard: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        const wake = () => {
          sleepers.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        sleepers.add(wake)
        signal.addEventListener('abort', wake, { once: true })
      }),
  }
}
