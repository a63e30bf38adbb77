import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort, type Transferable, Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Threads that are reused: a thread costs 30 ms of CPU time before its program starts, and the tests need some thousand.
 * Each program is a separate module, with its own state and port. A thread is reused only when its program has closed its
 * port and holds nothing that would keep a thread alive; a thread that failed, or was terminated while working, is not
 * reused.
 */
const script = `const threads = require('node:worker_threads')
const { syncBuiltinESMExports } = require('node:module')
const pool = threads.parentPort
pool.on('message', ({ url, data, port }) => {
  port.once('close', () => setImmediate(() => {
    const left = process.getActiveResourcesInfo().filter((each) => each !== 'MessagePort')
    if (left.length > 0) throw new Error(url + ' has closed its port and still holds ' + left.join(', '))
    pool.postMessage('free')
  }))
  Object.assign(threads, { parentPort: port, workerData: data })
  syncBuiltinESMExports()
  import(url).catch((error) => setImmediate(() => { throw error }))
})
`
/** After this many programs a thread ends, because their modules stay in its memory. */
const mostPrograms = 30

/** The message that asks a program to end (`kit/workerThread.ts`). */
const closeMessage = null

type PoolThread = { worker: Worker; programs: number }
const idle = new Map<string, PoolThread[]>()

const take = (key: string, { resourceLimits }: WorkerOptions): PoolThread =>
  idle.get(key)?.pop() ?? { worker: new Worker(script, { eval: true, resourceLimits }), programs: 0 }

function giveBack(key: string, thread: PoolThread): void {
  for (const event of ['message', 'error', 'exit']) thread.worker.removeAllListeners(event)
  thread.worker.unref()
  if (thread.programs >= mostPrograms) return void thread.worker.terminate()
  idle.set(key, [...(idle.get(key) ?? []), thread])
}

/** Replaces `Worker` for `kit/workerThread.ts`. A call after its program has ended does nothing. */
export class PooledWorker extends EventEmitter {
  #port: MessagePort
  #worker: Worker
  #hasEnded = false
  /** A program first reports that it is ready, and then answers each message. */
  #unanswered = 1
  #exited = Promise.withResolvers<number>()

  constructor(program: URL, options: WorkerOptions) {
    super()
    const key = `${program} ${JSON.stringify(options.resourceLimits)}`
    const thread = take(key, options)
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#worker = thread.worker
    this.#worker.ref()
    this.#worker.on('error', (error) => this.emit('error', error))
    this.#worker.once('exit', (code) => this.#end(code))
    this.#worker.once('message', () => {
      giveBack(key, thread)
      this.#end(0)
    })
    port1.on('message', (message) => {
      this.#unanswered--
      this.emit('message', message)
    })
    port1.unref()
    const url = `${program}#${thread.programs++}`
    this.#worker.postMessage({ url, data: options.workerData, port: port2 }, [port2])
  }
  #end(code: number): void {
    this.#hasEnded = true
    this.#port.close()
    this.emit('exit', code)
    this.#exited.resolve(code)
  }
  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#unanswered++
    this.#port.postMessage(message, transfer)
  }
  ref(): void {
    if (!this.#hasEnded) this.#worker.ref()
  }
  unref(): void {
    if (!this.#hasEnded) this.#worker.unref()
  }
  /** A waiting program is asked to end. A working program could not read that message. */
  async terminate(): Promise<number> {
    if (this.#hasEnded) return this.#exited.promise
    if (this.#unanswered === 0) this.postMessage(closeMessage)
    else await this.#worker.terminate()
    return this.#exited.promise
  }
}
