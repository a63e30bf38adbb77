import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads'

/** A worker thread that answers one message after the other, in order. */
export type Thread<Ask, Answer> = {
  /** Rejects with the message of the error that the program threw, or if the thread has ended. */
  ask(message: Ask, transfer?: Transferable[]): Promise<Answer>
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
  transfer?(value: Answer): Transferable[]
  close(): void
}

type PendingRequest<Answer> = { resolve(value: Answer): void; reject(why: Error): void }

/** The young generation of each thread's heap. The default is 48 MB. */
const youngMb = 4

/** Starts a thread and resolves when it is ready. Rejects with the error that its program threw at the start. */
export async function startThread<Ask, Answer>(program: URL, data: unknown): Promise<Thread<Ask, Answer>> {
  const worker = new Worker(program, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
  const outstanding: PendingRequest<Answer>[] = []
  let ended: Error | undefined
  const end = (why: Error) => {
    ended ??= why
    for (const each of outstanding.splice(0)) each.reject(ended)
  }
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      end(new Error('the thread has ended'))
      resolve()
    })
  })
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))))
  worker.on('message', (reply: ThreadReply<Answer>) => {
    const request = outstanding.shift()
    // Only pending messages keep the process alive.
    if (outstanding.length === 0) worker.unref()
    if ('failed' in reply) request?.reject(new Error(reply.failed))
    else request?.resolve(reply.value)
  })
  const ask = (message: unknown, transfer: Transferable[] = []) =>
    new Promise<Answer>((resolve, reject) => {
      if (ended) return reject(ended)
      if (outstanding.length === 0) worker.ref()
      outstanding.push({ resolve, reject })
      worker.postMessage(message, transfer)
    })
  await new Promise<Answer>((resolve, reject) => outstanding.push({ resolve, reject }))
  return {
    ask,
    async close() {
      if (!ended) worker.ref()
      worker.postMessage(null)
      await exited
    },
    async terminate() {
      await worker.terminate()
      await exited
    },
  }
}

/** Called by the program of the thread. `start` gets the data of `startThread`. */
export function runThread<Data, Ask, Answer>(start: (data: Data) => Program<Ask, Answer>): void {
  const port = parentPort
  if (!port) throw new Error('this program must run in a worker thread')
  const program = start(workerData as Data)
  port.on('message', (message: Ask | null) => {
    if (message === null) {
      program.close()
      return port.close()
    }
    try {
      const value = program.answer(message)
      port.postMessage({ value }, program.transfer?.(value) ?? [])
    } catch (error) {
      port.postMessage({ failed: error instanceof Error ? error.message : String(error) })
    }
  })
  port.postMessage({ value: undefined })
}
