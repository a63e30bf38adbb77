/** Runs one task of a key at a time, in the order of the calls. A failed task does not stop the next. */
type KeyedMutex = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

/** A mutex for each key. A key without a pending task takes no memory. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, task) => {
    const run = (last.get(key) ?? Promise.resolve()).catch(() => {}).then(task)
    last.set(key, run)
    try {
      return await run
    } finally {
      if (last.get(key) === run) last.delete(key)
    }
  }
}
