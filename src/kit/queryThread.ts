import { poolClosed, QueryRefused, type QuerySlot } from './queryPool.ts'
import { startThread, type Thread } from './thread.ts'

/**
 * A thread for queries. It is started for the first query, and again after it was terminated. `limitMs`: the maximum time
 * that a query runs.
 */
export function openQueryThread<Ask, Answer>(program: URL, data: unknown, limitMs: number): QuerySlot<Ask, Answer> {
  let thread: Thread<Ask, Answer> | undefined
  let isClosed = false
  const end = async () => {
    const previous = thread
    thread = undefined
    await previous?.terminate()
  }
  return {
    release: end,
    close() {
      isClosed = true
      return end()
    },
    /** A terminated thread may first have to finish its SQL statement. */
    async run({ ask, resolve, reject }) {
      let ending: Promise<void> | undefined
      const timer = setTimeout(() => {
        reject(new QueryRefused('tooSlow', limitMs))
        ending = end()
      }, limitMs)
      try {
        if (!thread || thread.hasEnded()) thread = await startThread<Ask, Answer>(program, data, 'replace')
        if (isClosed) throw poolClosed()
        if (!ending) resolve(await thread.ask(ask))
      } catch (error) {
        reject(error as Error)
        // The thread itself may have failed, so it is replaced.
        ending ??= end()
      } finally {
        clearTimeout(timer)
        await ending
      }
    },
  }
}
