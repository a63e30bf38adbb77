import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { PooledWorker } from './threadPool.ts'

/** A program that answers a number with its count of messages, throws at 0 and never returns from -1. */
const counter = new URL(
  `data:text/javascript,${encodeURIComponent(`
import { parentPort, threadId, workerData } from 'node:worker_threads'
const port = parentPort, data = workerData
let count = 0
port.on('message', (number) => {
  if (number === null) { if (data === 'timer') setInterval(() => {}, 1000); return port.close() }
  if (number === 0) throw new Error('zero')
  while (number === -1);
  port.postMessage([data, ++count, threadId])
})
port.postMessage('ready')
`)}`,
)

async function begin(data: string, program = counter) {
  const worker = new PooledWorker(program, { workerData: data })
  await once(worker, 'message')
  const ask = async (number: number) => {
    worker.postMessage(number)
    return (await once(worker, 'message'))[0] as [string, number, number]
  }
  return { worker, ask }
}

test('a thread whose program has closed its port runs the next one, which knows nothing of the last', async () => {
  const first = await begin('first')
  const [, , firstThread] = await first.ask(1)
  assert.deepEqual(await first.ask(1), ['first', 2, firstThread])
  await first.worker.terminate()
  const second = await begin('second')
  assert.deepEqual(await second.ask(1), ['second', 1, firstThread])
  first.worker.postMessage(1)
  await first.worker.terminate()
  assert.deepEqual(await second.ask(1), ['second', 2, firstThread])
  await second.worker.terminate()
})

test('two programs at once have a thread each', async () => {
  const [one, other] = await Promise.all([begin('one'), begin('other')])
  assert.notEqual((await one.ask(1))[2], (await other.ask(1))[2])
  await Promise.all([one.worker.terminate(), other.worker.terminate()])
})

test('a program that throws ends its thread, and one that is at work is terminated with it', async () => {
  const failing = await begin('failing')
  const ended = new Promise((resolve) => failing.worker.once('exit', resolve))
  failing.worker.postMessage(0)
  await assert.rejects(once(failing.worker, 'message'), /^Error: zero/)
  assert.equal(await ended, 1)
  const busy = await begin('busy')
  busy.worker.postMessage(-1)
  assert.equal(await busy.worker.terminate(), 1)
})

test('a program that closes its port and leaves a timer behind fails its test: its thread would never end', async () => {
  const { worker } = await begin('timer')
  const failed = once(worker, 'error')
  worker.postMessage(null)
  assert.match(((await failed)[0] as Error).message, /still holds Timeout/)
})
