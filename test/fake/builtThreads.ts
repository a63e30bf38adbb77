import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { type Transferable, type WorkerOptions } from 'node:worker_threads'

/**
 * Lets the threads of a test run as they are built, each one file in `lib/`: a thread starts with a quarter of the CPU time
 * that its sources take, and the tests start some thousand. A thread of a store takes a thread that another store has
 * left, because an empty thread alone takes 40 ms of a core. `scripts/test.ts` imports this once `lib/` is built.
 */
const root = join(import.meta.dirname, '../..')
const shared = /\/(store|streamIndex)\.thread\.js$/
/** A thread that ran so many programs ends: each leaves its code behind. */
const mostPrograms = 40

function builtOf(program: string | URL): string | URL {
  const path = program instanceof URL && program.protocol === 'file:' ? fileURLToPath(program) : ''
  if (!path.startsWith(join(root, 'src/')) || !path.endsWith('.thread.ts')) return program
  const built = join(root, 'lib', `${basename(path, '.ts')}.js`)
  return existsSync(built) ? pathToFileURL(built) : program
}

const { Worker } = threads

/** A thread that runs programs, and what its present one tells. */
type Host = { worker: InstanceType<typeof Worker>; programs: number; program?: SharedThread }
/** Threads without a program, by program and limits. */
const free = new Map<string, Host[]>()

function startHost(kind: string, { resourceLimits }: WorkerOptions): Host {
  const worker = new Worker(new URL('threadHost.ts', import.meta.url), { resourceLimits })
  const host: Host = { worker, programs: 0 }
  worker.on('message', () => {
    worker.unref()
    host.program?.end()
    if (host.programs < mostPrograms) free.set(kind, [...(free.get(kind) ?? []), host])
    else void worker.terminate()
  })
  worker.on('error', (error) => host.program?.emit('error', error))
  worker.on('exit', () => host.program?.end())
  return host
}

/** Has the members of a worker that `src/kit/workerThread.ts` uses. */
class SharedThread extends EventEmitter {
  readonly #host: Host
  readonly #port: threads.MessagePort

  constructor(program: string, options: WorkerOptions) {
    super()
    const kind = `${program} ${JSON.stringify(options.resourceLimits)}`
    this.#host = free.get(kind)?.pop() ?? startHost(kind, options)
    this.#host.programs++
    this.#host.program = this
    this.#host.worker.ref()
    const { port1, port2 } = new threads.MessageChannel()
    this.#port = port1
    port1.on('message', (message) => this.emit('message', message))
    port1.unref()
    this.#host.worker.postMessage({ program, data: options.workerData, port: port2 }, [port2])
  }

  /** The program is over, or its thread. */
  end(): void {
    delete this.#host.program
    this.#port.close()
    this.emit('exit', 0)
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }

  ref(): void {
    this.#host.worker.ref()
  }

  unref(): void {
    this.#host.worker.unref()
  }

  terminate(): Promise<number> {
    return this.#host.worker.terminate()
  }
}

threads.Worker = new Proxy(Worker, {
  construct(_, [program, options = {}]: [string | URL, WorkerOptions?]) {
    const built = builtOf(program)
    return shared.test(`${built}`) ? new SharedThread(`${built}`, options) : new Worker(built, options)
  },
})
syncBuiltinESMExports()
