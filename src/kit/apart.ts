import { parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * Work that a thread of its own does, many pieces at a time, each answered when it is done. Asks and answers are what JSON can
 * say: for many short texts that is quicker than the structured clone of threads.
 */
export type Apart<Ask, Answer> = {
  /** Rejects with the message of what the work threw, or when the thread has failed: the next ask starts another. */
  ask(ask: Ask): Promise<Answer>
  /** Takes nothing more, waits until all that was asked is answered, and ends the thread. */
  close(): Promise<void>
}

/** What a thread makes of its data. */
export type Work<Ask, Answer> = {
  answer(ask: Ask): Promise<Answer>
  /** Lets go of what it holds open; everything is answered by then. */
  close(): Promise<void>
}

type Asked<Ask> = { number: number; ask: Ask }
type Reply<Answer> = { number: number } & ({ value: Answer } | { failed: string })
type Outstanding<Answer> = { resolve(value: Answer): void; reject(why: Error): void }

/** Hands over together what comes in one turn of the event loop: each message costs its receiver a wake-up. */
function together<Some>(send: (text: string) => void): (some: Some) => void {
  let waiting: Some[] = []
  const flush = () => {
    const all = waiting
    waiting = []
    send(JSON.stringify(all))
  }
  return (some) => {
    if (waiting.push(some) === 1) setImmediate(flush)
  }
}

/** Room for short-lived objects. With less, what is under way is copied again and again; by default it would be 48 MB. */
const youngMb = 16

/** One thread from its start to its end, which `ended` is told of. */
function begin<Ask, Answer>(program: URL, data: unknown, ended: () => void) {
  const worker = new Worker(program, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
  const outstanding = new Map<number, Outstanding<Answer>>()
  const post = together<Asked<Ask>>((asks) => worker.postMessage(asks))
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>()
  let why = new Error('the thread has ended')
  let count = 0
  let idle: (() => void) | undefined

  const settle = (reply: Reply<Answer>) => {
    const asked = outstanding.get(reply.number)
    outstanding.delete(reply.number)
    if ('failed' in reply) asked?.reject(new Error(reply.failed))
    else asked?.resolve(reply.value)
  }
  const rest = () => {
    worker.unref() // only what is under way keeps the process alive
    idle?.()
  }
  worker.on('message', (replies: string) => {
    for (const reply of JSON.parse(replies) as Reply<Answer>[]) settle(reply)
    if (outstanding.size === 0) rest()
  })
  worker.on('error', (error) => {
    why = error instanceof Error ? error : new Error(String(error))
  })
  worker.once('exit', () => {
    ended()
    for (const each of outstanding.values()) each.reject(why)
    outstanding.clear()
    rest()
    exit()
  })
  return {
    ask: (ask: Ask) =>
      new Promise<Answer>((resolve, reject) => {
        if (outstanding.size === 0) worker.ref()
        outstanding.set(++count, { resolve, reject })
        post({ number: count, ask })
      }),
    async close() {
      if (outstanding.size > 0) await new Promise<void>((resolve) => (idle = resolve))
      worker.ref()
      worker.postMessage(null)
      await exited
    },
  }
}

/** Starts a thread when something is first asked of it. */
export function openApart<Ask, Answer>(program: URL, data: unknown): Apart<Ask, Answer> {
  let thread: ReturnType<typeof begin<Ask, Answer>> | undefined
  let closed: Promise<void> | undefined
  const ended = () => {
    thread = undefined
  }
  return {
    async ask(ask) {
      if (closed) throw new Error('closed: nothing is asked any more')
      thread ??= begin<Ask, Answer>(program, data, ended)
      return thread.ask(ask)
    },
    async close() {
      closed ??= thread?.close() ?? Promise.resolve()
      await closed
    },
  }
}

/** To be called by a thread's program: `start` gets the data of `openApart`. */
export function runApart<Data, Ask, Answer>(start: (data: Data) => Work<Ask, Answer>): void {
  const port = parentPort
  if (!port) throw new Error('this program runs in a thread')
  const work = start(workerData as Data)
  const reply = together<Reply<Answer>>((replies) => port.postMessage(replies))
  const answer = async ({ number, ask }: Asked<Ask>): Promise<void> => {
    try {
      reply({ number, value: await work.answer(ask) })
    } catch (error) {
      reply({ number, failed: error instanceof Error ? error.message : String(error) })
    }
  }
  port.on('message', (asks: string | null) => {
    if (asks) for (const asked of JSON.parse(asks) as Asked<Ask>[]) void answer(asked)
    else void work.close().finally(() => port.close())
  })
}
