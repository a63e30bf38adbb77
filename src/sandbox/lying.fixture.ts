import { type ChildMessage, type ParentMessage, readFrames } from './frames.ts'
import { sandboxLimits } from './sandboxLimits.ts'

/** A child that ignores its limits, like code that has escaped its isolate. `params.lie` selects the limit. */
const send = (frame: ChildMessage) => void process.stdout.write(`${JSON.stringify(frame)}\n`)
const times = (count: number, each: (n: number) => void) => Array.from({ length: count }, (_, n) => each(n))
const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024)

const lies: Readonly<Record<string, (id: number) => void>> = {
  'too many calls': (id) => times(1_000, (call) => send({ is: 'call', id, call, name: 'count', args: '[]' })),
  'too many calls of an unknown function': (id) =>
    times(1_000, (call) => send({ is: 'call', id, call, name: 'none', args: '[]' })),
  'too many fetches': (id) =>
    times(sandboxLimits.calls, (call) => send({ is: 'call', id, call, name: 'fetch', args: fetched })),
  'a call with too large arguments': (id) =>
    send({ is: 'call', id, call: 0, name: 'count', args: JSON.stringify([megabytes(3)]) }),
  'too many log lines': (id) => times(100_000, () => send({ is: 'log', id, level: 'log', text: '' })),
  'a log line that is too long': (id) => send({ is: 'log', id, level: 'log', text: megabytes(3) }),
  'repeated ready messages': () => times(1_000, () => send({ is: 'ready', permission: true })),
  'a deeply nested call': (id) =>
    send({ is: 'call', id, call: 0, name: 'count', args: `[${'['.repeat(10_000)}${']'.repeat(10_000)}]` }),
}
const fetched = JSON.stringify([
  { url: 'https://x.example/', method: 'GET', headers: [], body: null, redirect: 'follow' },
])

let answered = 0
let ends = 0
readFrames(
  process.stdin,
  sandboxLimits.frameBytes,
  (frame) => {
    const message = frame as ParentMessage
    if (message.is === 'run') {
      const { lie = '' } = JSON.parse(message.params) as { lie?: string }
      ends = lie === 'a deeply nested call' ? 1 : sandboxLimits.calls
      if (lies[lie]) lies[lie](message.id)
      else send({ is: 'done', id: message.id, result: '1' })
    }
    // If the parent does not stop the run, it ends when its calls are answered.
    if (message.is === 'answer' && ++answered === ends) send({ is: 'done', id: 0, result: '1' })
  },
  () => process.exit(1),
)
process.stdin.on('end', () => process.exit())
send({ is: 'ready', permission: true })
