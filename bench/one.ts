import type { Row, Scale } from './part.ts'
import { parts } from './parts.ts'

/** Runs one part in this process, and sends its rows to the parent process. */
const [, , name, scale] = process.argv
const part = parts.find((each) => each.name === name)
if (!part || !scale || !process.send) throw new Error('bench/bench.ts starts this')
process.setMaxListeners(100) // a listener for each process that must not outlive this one
process.on('disconnect', () => process.exit(1)) // and ends the processes that it started
await part.run(JSON.parse(scale) as Scale, (row: Row) => void process.send!(row))
process.exit(0)
