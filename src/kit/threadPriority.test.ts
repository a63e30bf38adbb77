import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { startThread } from './thread.ts'
import { lowerThreadPriority } from './threadPriority.ts'

const kit = new URL('./thread.ts', import.meta.url).href
const priority = new URL('./threadPriority.ts', import.meta.url).href

/** A thread that lowers its priority and returns it. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { readlinkSync } from 'node:fs'
    import { getPriority } from 'node:os'
    import { runThread } from '${kit}'
    import { lowerThreadPriority } from '${priority}'
    runThread(() => {
      lowerThreadPriority()
      const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
      return { answer: () => getPriority(thread), close() {} }
    })`)}`,
)

test('a thread lowers only its own priority', { skip: process.platform !== 'linux' }, async () => {
  const before = getPriority()
  const thread = await startThread<number, number>(program, null, 'replace')
  assert.equal(await thread.ask(1), 10)
  await thread.close()
  assert.equal(getPriority(), before)
})

test('the main thread keeps its priority', () => {
  const before = getPriority()
  lowerThreadPriority()
  assert.equal(getPriority(), before)
})
