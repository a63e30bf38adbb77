import { startThread, type Thread } from './thread.ts'

/** A thread of a program that keeps everything on disk. Its death ends the process. */
export type RestingThread<Ask, Answer> = Pick<Thread<Ask, Answer>, 'ask' | 'close'>

/** `mayRest`: false while the program holds data in memory that a new start would have to load again. */
type RestOptions<Answer> = { restMs?: number; mayRest?(answer: Answer): boolean }

/**
 * Starts a thread that ends after `restMs` (default: a minute) without a message, because an idle thread takes 11 MB. The
 * next message starts it again. Rejects with the error that the program threw at the start.
 */
export async function startRestingThread<Ask, Answer>(
  program: URL,
  data: unknown,
  { restMs = 60_000, mayRest = () => true }: RestOptions<Answer> = {},
): Promise<RestingThread<Ask, Answer>> {
  let thread: Promise<Thread<Ask, Answer>> | undefined
  let ending: Promise<void> = Promise.resolve()
  let pending = 0
  let timer: NodeJS.Timeout | undefined
  let isRestAllowed = true
  let isClosed = false

  /** The earlier thread ends first, so that two never write one file. A failed start is repeated for the next message. */
  function started(): Promise<Thread<Ask, Answer>> {
    const starting = ending.then(() => startThread<Ask, Answer>(program, data, 'endProcess'))
    starting.catch(() => {
      thread = undefined
    })
    return starting
  }
  function current(): Promise<Thread<Ask, Answer>> {
    thread ??= started()
    return thread
  }
  function rest(): void {
    if (thread) ending = thread.then((each) => each.close())
    thread = undefined
  }
  function restLater(): void {
    if (!isClosed) timer = setTimeout(rest, restMs).unref()
  }
  await current()
  restLater()
  return {
    async ask(message) {
      clearTimeout(timer)
      pending++
      try {
        const answer = await (await current()).ask(message)
        isRestAllowed = mayRest(answer)
        return answer
      } finally {
        if (--pending === 0 && isRestAllowed) restLater()
      }
    },
    /**
     * Starts a resting thread again first, because some programs tidy their files when they are closed last. Nothing is lost
     * if that start fails.
     */
    async close() {
      isClosed = true
      clearTimeout(timer)
      const last = await current().catch(() => undefined)
      await last?.close()
    },
  }
}
