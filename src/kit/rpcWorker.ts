import type { Log } from './log.ts'
import { openThreadPort, startWorkerThread } from './workerThread.ts'

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

/** The young generation of the thread's heap. A smaller one copies pending calls repeatedly. */
const youngMb = 16

/** Starts one thread. Calls `onExit` when it takes no more calls. */
function startRpcThread<Ask, Answer>(program: URL, data: unknown, log: Log | undefined, onExit: () => void) {
  const outstanding = new Map<number, PendingCall<Answer>>()
  let count = 0
  let onIdle: (() => void) | undefined

  const settle = (reply: RpcReply<Answer>) => {
    const call = outstanding.get(reply.number)
    outstanding.delete(reply.number)
    if ('failed' in reply) call?.reject(new Error(reply.failed))
    else call?.resolve(reply.value)
  }
  const becomeIdle = () => {
    worker.setReferenced(false)
    onIdle?.()
  }
  const worker = startWorkerThread({
    program,
    data,
    youngMb,
    deathRule: 'replace',
    log,
    onMessage(replies) {
      for (const reply of JSON.parse(replies as string) as RpcReply<Answer>[]) settle(reply)
      if (outstanding.size === 0) becomeIdle()
    },
    onEnd(why) {
      onExit()
      for (const each of outstanding.values()) each.reject(why)
      outstanding.clear()
      becomeIdle()
    },
  })
  const post = coalesceTurn<RpcRequest<Ask>>((asks) => worker.post(asks))
  return {
    ask: (ask: Ask) =>
      new Promise<Answer>((resolve, reject) => {
        if (outstanding.size === 0) worker.setReferenced(true)
        outstanding.set(++count, { resolve, reject })
        post({ number: count, ask })
      }),
    async close() {
      if (outstanding.size > 0) await new Promise<void>((resolve) => (onIdle = resolve))
      await worker.close()
    },
  }
}

/** Opens a worker. Its thread starts with the first call. */
export function openRpcWorker<Ask, Answer>(program: URL, data: unknown, log?: Log): RpcWorker<Ask, Answer> {
  let thread: ReturnType<typeof startRpcThread<Ask, Answer>> | undefined
  let closed: Promise<void> | undefined
  const onExit = () => {
    thread = undefined
  }
  return {
    async ask(ask) {
      if (closed) throw new Error('the worker is closed: no call can be sent')
      thread ??= startRpcThread<Ask, Answer>(program, data, log, onExit)
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
  const { data, post, listen } = openThreadPort<Data>()
  const handler = start(data)
  const reply = coalesceTurn<RpcReply<Answer>>((replies) => post(replies))
  const answer = async ({ number, ask }: RpcRequest<Ask>): Promise<void> => {
    try {
      reply({ number, value: await handler.answer(ask) })
    } catch (error) {
      reply({ number, failed: error instanceof Error ? error.message : String(error) })
    }
  }
  listen((asks) => {
    for (const request of JSON.parse(asks as string) as RpcRequest<Ask>[]) void answer(request)
  }, handler.close)
}
