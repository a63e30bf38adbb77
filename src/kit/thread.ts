import type { Log } from './log.ts'
import { type DeathRule, openThreadPort, startWorkerThread } from './workerThread.ts'

/** A worker thread that answers one message after the other, in order. */
export type Thread<Ask, Answer> = {
  /** Rejects with the message of the error that the program threw, or if the thread has ended. */
  ask(message: Ask): Promise<Answer>
  /** Whether the thread takes no more messages. */
  hasEnded(): boolean
  /** Waits for the pending messages, then ends the thread. */
  close(): Promise<void>
  /**
   * Terminates the thread. Pending messages reject. Resolves when the thread has ended; native code, such as an SQLite
   * statement, finishes first.
   */
  terminate(): Promise<void>
}

type ThreadReply<Answer> = { value: Answer } | { failed: string }
/** The implementation inside the thread. */
export type Program<Ask, Answer> = {
  answer(message: Ask): Answer
  close(): void
}

type PendingRequest<Answer> = { resolve(value: Answer): void; reject(why: Error): void }

/** The young generation of each thread's heap. */
const youngMb = 4

/** Starts a thread and resolves when it is ready. Rejects with the error that its program threw at the start. */
export async function startThread<Ask, Answer>(
  program: URL,
  data: unknown,
  deathRule: DeathRule,
  log?: Log,
): Promise<Thread<Ask, Answer>> {
  const outstanding: PendingRequest<Answer>[] = []
  let ended: Error | undefined
  const worker = startWorkerThread({
    program,
    data,
    youngMb,
    deathRule,
    log,
    onEnd(why) {
      ended = why
      for (const each of outstanding.splice(0)) each.reject(why)
    },
    onMessage(message) {
      const reply = message as ThreadReply<Answer>
      const request = outstanding.shift()
      if (outstanding.length === 0) worker.setReferenced(false)
      if ('failed' in reply) request?.reject(new Error(reply.failed))
      else request?.resolve(reply.value)
    },
  })
  await worker.ready
  worker.setReferenced(false)
  return {
    hasEnded: () => ended !== undefined,
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended)
        if (outstanding.length === 0) worker.setReferenced(true)
        outstanding.push({ resolve, reject })
        worker.post(message)
      }),
    close: worker.close,
    terminate: worker.terminate,
  }
}

/** Called by the program of the thread. `start` gets the data of `startThread`. */
export function runThread<Data, Ask, Answer>(start: (data: Data) => Program<Ask, Answer>): void {
  const { data, post, listen } = openThreadPort<Data>()
  const program = start(data)
  const handle = (message: Ask) => {
    try {
      post({ value: program.answer(message) })
    } catch (error) {
      post({ failed: error instanceof Error ? error.message : String(error) })
    }
  }
  listen((message) => handle(message as Ask), program.close)
}
