import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { startRestingThread } from './restingThread.ts'

const kit = new URL('./thread.ts', import.meta.url).href

/** A program that writes its starts and ends to a file, and answers with the id of its thread. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync, existsSync } from 'node:fs'
    import { threadId } from 'node:worker_threads'
    import { runThread } from '${kit}'
    runThread((path) => {
      if (existsSync(path + '.broken')) throw new Error('no such file')
      appendFileSync(path, 'start ')
      return {
        answer: (n) => { if (n < 0) throw new Error('below 0'); return [n, threadId] },
        close: () => appendFileSync(path, 'end '),
      }
    })`)}`,
)

type Answer = [number, number]

async function started(t: TestContext, restMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-resting-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'notes')
  const thread = await startRestingThread<number, Answer>(program, path, { restMs, mayRest: ([n]) => n < 100 })
  return { thread, path, notes: () => readFileSync(path, 'utf8').trim() }
}

test('a thread without messages ends, and the next message starts it again', async (t) => {
  const { thread, notes } = await started(t, 20)
  const [, first] = await thread.ask(1)
  await until('the thread rests', () => notes() === 'start end')
  const [answer, second] = await thread.ask(2)
  assert.equal(answer, 2)
  assert.notEqual(second, first)
  await thread.close()
  assert.equal(notes(), 'start end start end')
})

test('a thread with messages does not end', async (t) => {
  const { thread, notes } = await started(t, 60_000)
  const answers = await Promise.all([1, 2, 3].map((n) => thread.ask(n)))
  assert.deepEqual(
    answers.map(([n]) => n),
    [1, 2, 3],
  )
  assert.equal(new Set(answers.map(([, id]) => id)).size, 1)
  await thread.close()
  assert.equal(notes(), 'start end')
})

test('messages to a thread that ends are answered in order by the next one', async (t) => {
  const { thread, notes } = await started(t, 0)
  const answers: number[] = []
  for (let round = 0; round < 4; round++) {
    await until('the thread closes its files', () => notes().endsWith('end'))
    const asked = [1, 2, 3].map((n) => thread.ask(3 * round + n).then(([answer]) => answers.push(answer)))
    await Promise.all(asked)
  }
  assert.deepEqual(
    answers,
    Array.from({ length: 12 }, (_, n) => n + 1),
  )
  await thread.close()
  assert.match(notes(), /^(start end ?){5,6}$/)
})

test('a thread whose answer says that it keeps something does not end, until another answer says that it may', async (t) => {
  const { thread, notes } = await started(t, 0)
  await until('the thread rests', () => notes() === 'start end')
  await thread.ask(100)
  await new Promise((resolve) => setTimeout(resolve, 1)) // after the timer that would let the thread rest
  await thread.ask(100)
  assert.equal(notes(), 'start end start')
  await thread.ask(1)
  await until('the thread rests again', () => notes() === 'start end start end')
  await thread.close()
})

test('an error of the program rejects only its message', async (t) => {
  const { thread } = await started(t, 60_000)
  await assert.rejects(thread.ask(-1), /below 0/)
  assert.equal((await thread.ask(4))[0], 4)
  await thread.close()
})

test('a failed start rejects its message, and the next message repeats it', async (t) => {
  const { thread, path, notes } = await started(t, 0)
  await until('the thread rests', () => notes() === 'start end')
  writeFileSync(`${path}.broken`, '')
  await assert.rejects(thread.ask(1), /no such file/)
  await new Promise((resolve) => setTimeout(resolve, 1)) // after the timer that lets a thread rest
  rmSync(`${path}.broken`)
  assert.equal((await thread.ask(2))[0], 2)
  await thread.close()
})

test('a thread that rests and cannot start again is closed without an error', async (t) => {
  const { thread, path, notes } = await started(t, 0)
  await until('the thread rests', () => notes() === 'start end')
  writeFileSync(`${path}.broken`, '')
  await thread.close()
  assert.equal(notes(), 'start end')
})

test('a thread that rests is started again to be closed', async (t) => {
  const { thread, notes } = await started(t, 20)
  await until('the thread rests', () => notes() === 'start end')
  await thread.close()
  assert.equal(notes(), 'start end start end')
})
