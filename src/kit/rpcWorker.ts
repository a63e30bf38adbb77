import { parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * A worker thread that handles many calls concurrently and answers each when it is done. Requests and results are sent
 * as JSON, which is faster than the structured clone for many short strings.
 */
export type RpcWorker<Ask, Answer> = {
  /**
   * Rejects with the message of the handler's error, or if the thread fails. The next call then starts a new thread.
   */
  ask(ask: Ask): Promise<Answer>
  /** Rejects later calls, waits for the pending ones, and ends the thread. */
  close(): Promise<void>
}

/** The implementation inside the thread. */
export type RpcService<Ask, Answer> = {
  answer(ask: Ask): Promise<Answer>
  /** Releases its resources. Called when no call is pending. */
  close(): Promise<void>
}

type RpcRequest<Ask> = { number: number; ask: Ask }
type RpcReply<Answer> = { number: number } & ({ value: Answer } | { failed: string })
type PendingCall<Answer> = { resolve(value: Answer): void; reject(why: Error): void }

/** Sends the items of one turn of the event loop as one message, because each message wakes the receiver. */
function coalesceTurn<Item>(send: (text: string) => void): (item: Item) => void {
  let waiting: Item[] = []
  const flush = () => {
    const all = waiting
    waiting = []
    send(JSON.stringify(all))
  }
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(flush)
  }
}

/** The young generation of the thread's heap. A smaller one copies pending calls repeatedly; the default is 48 MB. */
const youngMb = 16

/** Starts one thread. Calls `onExit` when it has ended. */
function startWorker<Ask, Answer>(program: URL, data: unknown, onExit: () => void) {
  const worker = new Worker(program, { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: youngMb } })
  const outstanding = new Map<number, PendingCall<Answer>>()
  const post = coalesceTurn<RpcRequest<Ask>>((asks) => worker.postMessage(asks))
  const { promise: exited, resolve: exit } = Promise.withResolvers<void>()
  let why = new Error('the thread has ended')
  let count = 0
  let onIdle: (() => void) | undefined

  const settle = (reply: RpcReply<Answer>) => {
    const call = outstanding.get(reply.number)
    outstanding.delete(reply.number)
    if ('failed' in reply) call?.reject(new Error(reply.failed))
    else call?.resolve(reply.value)
  }
  const becomeIdle = () => {
    worker.unref() // only pending calls keep the process alive
    onIdle?.()
  }
  worker.on('message', (replies: string) => {
    for (const reply of JSON.parse(replies) as RpcReply<Answer>[]) settle(reply)
    if (outstanding.size === 0) becomeIdle()
  })
  worker.on('error', (error) => {
    why = error instanceof Error ? error : new Error(String(error))
  })
  worker.once('exit', () => {
    onExit()
    for (const each of outstanding.values()) each.reject(why)
    outstanding.clear()
    becomeIdle()
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
      if (outstanding.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      worker.ref()
      worker.postMessage(null)
      await exited
    },
  }
}

/** Opens a worker. Its thread starts with the first call. */
export function openRpcWorker<Ask, Answer>(program: URL, data: unknown): RpcWorker<Ask, Answer> {
  let thread: ReturnType<typeof startWorker<Ask, Answer>> | undefined
  let closed: Promise<void> | undefined
  const onExit = () => {
    thread = undefined
  }
  return {
    async ask(ask) {
      if (closed) throw new Error('the worker is closed: no call can be sent')
      thread ??= startWorker<Ask, Answer>(program, data, onExit)
      return thread.ask(ask)
    },
    async close() {
      closed ??= thread?.close() ?? Promise.resolve()
      await closed
    },
  }
}

/** Called by the program of the thread. `start` gets the data of `openRpcWorker`. */
export function serveRpc<Data, Ask, Answer>(start: (data: Data) => RpcService<Ask, Answer>): void {
  const port = parentPort
  if (!port) throw new Error('this program must run in a worker thread')
  const handler = start(workerData as Data)
  const reply = coalesceTurn<RpcReply<Answer>>((replies) => port.postMessage(replies))
  const answer = async ({ number, ask }: RpcRequest<Ask>): Promise<void> => {
    try {
      reply({ number, value: await handler.answer(ask) })
    } catch (error) {
      reply({ number, failed: error instanceof Error ? error.message : String(error) })
    }
  }
  port.on('message', (asks: string | null) => {
    if (asks) for (const request of JSON.parse(asks) as RpcRequest<Ask>[]) void answer(request)
    else void handler.close().finally(() => port.close())
  })
}
