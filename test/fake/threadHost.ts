import { syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort } from 'node:worker_threads'

/** A thread that runs one program after the other. Each finds what it would find in a thread of its own. */
type Start = { program: string; data: unknown; port: MessagePort }

const host = threads.parentPort!
let count = 0

host.on('message', ({ program, data, port }: Start) => {
  Object.assign(threads, { workerData: data, parentPort: port })
  syncBuiltinESMExports()
  port.once('close', () => host.postMessage('free'))
  // a new module each time, which starts the program
  import(`${program}?${++count}`).catch((error) => setImmediate(() => raise(error)))
})

/** As an error that no one caught. */
function raise(error: unknown): never {
  throw error
}
