import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads from 'node:worker_threads'
import { PooledWorker } from './threadPool.ts'

/**
 * Makes tests run threads from built files, each a single file in `lib/`, and reuses the threads: the tests need some
 * thousand, and each then starts with a tenth of the CPU time of a new thread and its sources. `scripts/test.ts` imports
 * this once `lib/` is built.
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
