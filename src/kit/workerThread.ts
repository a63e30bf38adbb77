import { setFlagsFromString } from 'node:v8'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { type Log, processLog } from './log.ts'

/**
 * What happens when a thread dies: its program throws outside a call, it exits, or its heap is full. In both cases its
 * pending calls reject and a line is logged. `replace`: the owner starts another thread for its next call.
 * `endProcess`: the process exits with code 1, because the thread held state that a second one could not take over.
 */
export type DeathRule = 'replace' | 'endProcess'

type WorkerThreadOptions = {
  /** The file of the thread. It calls `openThreadPort`. */
  program: URL
  /** Passed to the program by structured clone. */
  data: unknown
  /** The young generation of the thread's heap. The default of Node is 48 MB. */
  youngMb: number
  /** The old generation of its heap. The default depends on the machine's memory. */
  oldMb?: number
  deathRule: DeathRule
  onMessage(message: unknown): void
  /** Called once, with the reason, when the thread takes no more messages. */
  onEnd(why: Error): void
  /** The default writes to standard error. */
  log?: Log | undefined
}

/** One thread. It keeps the process alive only while it is referenced. */
type WorkerThread = {
  /** Resolves when the program is ready. Rejects with the error that it threw at the start; no rule applies then. */
  ready: Promise<void>
  /**
   * Sends a copy of the message. Buffers are not transferred: at the first transfer V8 drops this thread's optimised code
   * that reads buffers, and later code has to check each buffer.
   */
  post(message: unknown): void
  /** Sets whether the thread keeps the process alive. */
  setReferenced(isReferenced: boolean): void
  /** Asks the program to end, and resolves when the thread has ended. */
  close(): Promise<void>
  /** Ends the thread at once. Native code, such as an SQLite statement, finishes first. */
  terminate(): Promise<void>
}

const isReadyMessage = 'ready'
const closeMessage = null

function applyDeathRule(rule: DeathRule, program: URL, error: Error, log: Log): void {
  const thread = program.pathname.split('/').at(-1)!.slice(0, 100)
  if (rule === 'endProcess') {
    log({ level: 'error', message: 'a thread died, so the process exits; start it again', thread, error })
    process.exit(1)
  }
  log({ level: 'warn', message: 'a thread died and is being replaced', thread, error })
}

/** Starts a thread. Threads are started only here, so that each death follows a rule. */
export function startWorkerThread(options: WorkerThreadOptions): WorkerThread {
  const { program, data, youngMb, oldMb, deathRule, onMessage, onEnd, log = processLog } = options
  const resourceLimits = { maxYoungGenerationSizeMb: youngMb, ...(oldMb && { maxOldGenerationSizeMb: oldMb }) }
  setFlagsFromString('--max-semi-space-size=0') // the option that sets it for the main thread would replace this thread's limit
  const worker = new Worker(program, { workerData: data, resourceLimits })
  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  ready.promise.catch(() => {}) // the owner may wait only for its calls
  let why: Error | undefined
  let isReady = false
  let isWanted = true

  worker.on('message', (message: unknown) => {
    if (isReady) return onMessage(message)
    isReady = message === isReadyMessage
    ready.resolve()
  })
  worker.on('error', (error) => {
    why ??= error instanceof Error ? error : new Error(String(error))
    onEnd(why)
  })
  worker.once('exit', () => {
    const error = why ?? new Error('the thread has ended')
    if (!why) onEnd(error)
    ready.reject(error)
    exited.resolve()
    if (isWanted && isReady) applyDeathRule(deathRule, program, error, log)
  })
  return {
    ready: ready.promise,
    post: (message) => worker.postMessage(message),
    setReferenced: (isReferenced) => (isReferenced ? worker.ref() : worker.unref()),
    async close() {
      isWanted = false
      worker.ref()
      worker.postMessage(closeMessage)
      await exited.promise
    },
    async terminate() {
      isWanted = false
      await worker.terminate()
      await exited.promise
    },
  }
}

/** The program's side of a thread. */
type ThreadPort<Data> = {
  data: Data
  post(message: unknown): void
  /** Takes messages from now on. `end` releases the resources of the program, after which the thread ends. */
  listen(onMessage: (message: unknown) => void, end: () => void | Promise<void>): void
}

/** Called by the program of a thread. */
export function openThreadPort<Data>(): ThreadPort<Data> {
  const port = parentPort
  if (!port) throw new Error('this program must run in a worker thread')
  return {
    data: workerData as Data,
    post: (message) => port.postMessage(message),
    listen(onMessage, end) {
      port.on('message', (message: unknown) => {
        if (message === closeMessage) void Promise.resolve(end()).finally(() => port.close())
        else onMessage(message)
      })
      port.postMessage(isReadyMessage)
    },
  }
}
