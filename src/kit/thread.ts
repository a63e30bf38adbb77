import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads'

/** A program in a thread of its own that answers one message after the other, in their order. */
export type Thread<Ask, Answer> = {
  /** Rejects with the message of what the thread threw, or when the thread has ended. */
  ask(message: Ask, transfer?: Transferable[]): Promise<Answer>
  /** Lets the thread finish what it was asked, then ends it. */
  close(): Promise<void>
  /**
   * Ends the thread whatever it does. What is under way rejects. Resolves when it has ended: code in C++, such as a statement of
   * SQLite, runs to its end first.
   */
  terminate(): Promise<void>
}

type Reply<Answer> = { value: Answer } | { failed: string }
/** What a thread makes of its data: how it answers, and what it closes at the end. */
export type Program<Ask, Answer> = {
  answer(message: Ask): Answer
  transfer?(value: Answer): Transferable[]
  close(): void
}

type Outstanding<Answer> = { resolve(value: Answer): void; reject(why: Error): void }

/** What a thread's short-lived objects may take before they are cleared: by default 48 MB, for each of the threads. */
const youngMb = 4

/** Starts a program and resolves when it is ready. Rejects with what it threw at its start. */
export async function startThread<Ask, Answer>(program: URL, data: unknown): Promise<Thread<Ask, Answer>> {
  const worker = new Worker(program, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
  const outstanding: Outstanding<Answer>[] = []
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
  worker.on('message', (reply: Reply<Answer>) => {
    const asked = outstanding.shift()
    // Only what is under way keeps the process alive.
    if (outstanding.length === 0) worker.unref()
    if ('failed' in reply) asked?.reject(new Error(reply.failed))
    else asked?.resolve(reply.value)
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

/** To be called by a thread's program: `start` gets the data of `startThread`. */
export function runThread<Data, Ask, Answer>(start: (data: Data) => Program<Ask, Answer>): void {
  const port = parentPort
  if (!port) throw new Error('this program runs in a thread')
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
