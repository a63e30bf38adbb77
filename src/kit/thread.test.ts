import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from './log.ts'
import { startThread } from './thread.ts'

const kit = new URL('./thread.ts', import.meta.url).href

/** A program of one expression: `answer` may use `data`. */
const program = (answer: string, start = '') =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { runThread } from '${kit}'
      runThread((data) => { ${start}; return { answer: ${answer}, close() {} } })`)}`,
  )

test('a thread answers the messages in order', async () => {
  const thread = await startThread<number, number>(program('(n) => n * data'), 10, 'replace')
  assert.deepEqual(await Promise.all([1, 2, 3].map((n) => thread.ask(n))), [10, 20, 30])
  await thread.close()
})

test('an error of a thread rejects only the message that caused it', async () => {
  const thread = await startThread<number, number>(
    program('(n) => { if (n === 2) throw new Error("not two"); return n }'),
    0,
    'replace',
  )
  const answers = await Promise.allSettled([1, 2, 3].map((n) => thread.ask(n)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.match(String((answers[1] as PromiseRejectedResult).reason), /not two/)
  await thread.close()
})

test('the start of a thread rejects with the error of its program', async () => {
  await assert.rejects(startThread(program('() => 0', 'throw new Error("no such file")'), 0, 'replace'), /no such file/)
})

test('a thread that ends rejects pending and later messages', async () => {
  const thread = await startThread<number, number>(
    program('(n) => { if (n === 2) process.exit(7); return n }'),
    0,
    'replace',
    silentLog,
  )
  assert.equal(await thread.ask(1), 1)
  const pending = await Promise.allSettled([2, 3, 4].map((n) => thread.ask(n)))
  for (const { status } of pending) assert.equal(status, 'rejected')
  await assert.rejects(thread.ask(5), /ended/)
  await thread.close()
})

test('a message after a failure of the thread rejects with its error', async () => {
  const fails = '(n) => { setImmediate(() => { throw new Error("out of memory") }); return n }'
  const thread = await startThread<number, number>(program(fails), 0, 'replace', silentLog)
  await Promise.allSettled([thread.ask(1)]) // the exit event may arrive before the answer
  await thread.close()
  await assert.rejects(thread.ask(2), /out of memory/)
})

test('close waits for pending messages', async () => {
  const thread = await startThread<number, number>(program('(n) => n'), 0, 'replace')
  const pending = thread.ask(1)
  await thread.close()
  assert.equal(await pending, 1)
  await assert.rejects(thread.ask(2), /ended/)
  await thread.close()
})

test('a thread in an endless loop is terminated, and pending messages reject', async () => {
  const thread = await startThread<number, number>(program('(n) => { while (n === 1); return n }'), 0, 'replace')
  assert.equal(await thread.ask(0), 0)
  const pending = assert.rejects(thread.ask(1), /ended/)
  await thread.terminate()
  await pending
  await assert.rejects(thread.ask(0), /ended/)
})
