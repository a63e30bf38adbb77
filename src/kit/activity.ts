/** Tracks running work, so that others can wait for its end. */
export type Activity = {
  /** Runs work. It counts from this call on. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when all work that is running now has ended, even if it failed. */
  ended(): Promise<void>
}

export function openActivity(): Activity {
  const running = new Set<Promise<unknown>>()
  return {
    async run(work) {
      const ended = work()
      running.add(ended)
      try {
        return await ended
      } finally {
        running.delete(ended)
      }
    },
    async ended() {
      await Promise.allSettled(running)
    },
  }
}
