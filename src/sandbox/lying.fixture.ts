import { type FromChild, readFrames, type ToChild } from './frames.ts'
import { limits } from './limits.ts'

/** A child that keeps none of the limits: as if code had broken out of its isolate. `params.lie` says which it passes. */
const say = (frame: FromChild) => void process.stdout.write(`${JSON.stringify(frame)}\n`)
const times = (count: number, each: (n: number) => void) => Array.from({ length: count }, (_, n) => each(n))
const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024)

const lies: Readonly<Record<string, (id: number) => void>> = {
  'too many calls': (id) => times(1_000, (call) => say({ is: 'call', id, call, name: 'count', args: '[]' })),
  'too many calls of what is not there': (id) =>
    times(1_000, (call) => say({ is: 'call', id, call, name: 'none', args: '[]' })),
  'too many fetches': (id) =>
    times(limits.calls, (call) => say({ is: 'call', id, call, name: 'fetch', args: fetched })),
  'a call with more than it may hold': (id) =>
    say({ is: 'call', id, call: 0, name: 'count', args: JSON.stringify([megabytes(3)]) }),
  'too many lines of its log': (id) => times(100_000, () => say({ is: 'log', id, level: 'log', text: '' })),
  'a line that is too long': (id) => say({ is: 'log', id, level: 'log', text: megabytes(3) }),
  'ready again and again': () => times(1_000, () => say({ is: 'ready' })),
  'a deep call': (id) =>
    say({ is: 'call', id, call: 0, name: 'count', args: `[${'['.repeat(10_000)}${']'.repeat(10_000)}]` }),
}
const fetched = JSON.stringify([
  { url: 'https://x.example/', method: 'GET', headers: [], body: null, redirect: 'follow' },
])

let answered = 0
let ends = 0
readFrames(
  process.stdin,
  limits.frameBytes,
  (frame) => {
    const told = frame as ToChild
    if (told.is === 'run') {
      const { lie = '' } = JSON.parse(told.params) as { lie?: string }
      ends = lie === 'a deep call' ? 1 : limits.calls
      if (lies[lie]) lies[lie](told.id)
      else say({ is: 'done', id: told.id, result: '1' })
    }
    // A run that nobody stops ends when its calls were answered.
    if (told.is === 'answer' && ++answered === ends) say({ is: 'done', id: 0, result: '1' })
  },
  () => process.exit(1),
)
process.stdin.on('end', () => process.exit())
say({ is: 'ready' })
