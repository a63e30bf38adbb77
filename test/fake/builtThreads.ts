import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import threads from 'node:worker_threads'

/**
 * Lets the threads of a test run as they are built, each one file in `lib/`: a thread starts with a quarter of the CPU time
 * that its sources take, and the tests start some thousand. `scripts/test.ts` imports this once `lib/` is built.
 */
const root = join(import.meta.dirname, '../..')

function builtOf(program: string | URL): string | URL {
  const path = program instanceof URL && program.protocol === 'file:' ? fileURLToPath(program) : ''
  if (!path.startsWith(join(root, 'src/')) || !path.endsWith('.thread.ts')) return program
  const built = join(root, 'lib', `${basename(path, '.ts')}.js`)
  return existsSync(built) ? built : program
}

const { Worker } = threads
threads.Worker = class extends Worker {
  constructor(program: string | URL, options?: threads.WorkerOptions) {
    super(builtOf(program), options)
  }
}
syncBuiltinESMExports()
