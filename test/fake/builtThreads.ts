import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads from 'node:worker_threads'
import { PooledWorker } from './threadPool.ts'

/**
 * Lets the threads of a test run as they are built, each one file in `lib/`, and one after the other in the same threads: the
 * tests need some thousand, and so each begins with a tenth of the CPU time that a thread and its sources take.
 * `scripts/test.ts` imports this once `lib/` is built.
 */
const root = join(import.meta.dirname, '../..')

function builtOf(program: string | URL): URL | undefined {
  const path = program instanceof URL && program.protocol === 'file:' ? fileURLToPath(program) : ''
  if (!path.startsWith(join(root, 'src/')) || !path.endsWith('.thread.ts')) return undefined
  const built = join(root, 'lib', `${basename(path, '.ts')}.js`)
  return existsSync(built) ? pathToFileURL(built) : undefined
}

threads.Worker = new Proxy(threads.Worker, {
  construct(Worker, [program, options]: [string | URL, threads.WorkerOptions]) {
    const built = builtOf(program)
    return built ? new PooledWorker(built, options) : new Worker(program, options)
  },
})
syncBuiltinESMExports()
