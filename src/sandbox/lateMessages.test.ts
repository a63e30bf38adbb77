import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Job } from './job.ts'
import { openSandbox } from './sandbox.ts'

const code = `async process({ name, fetch }) {
  if (name === 'loops') for (;;) {}
  return (await fetch('https://crm.example/' + name)).status
}`
const job = (name: string): Job => ({
  ...{ teamId: 'team', key: code, code, name: 'process', resultKind: 'value', params: { name }, secrets: [] },
})

/** Keeps the thread from reading what its children write. */
function block(forMs: number): void {
  const until = performance.now() + forMs
  while (performance.now() < until);
}

test('a run that has ended is not repeated when the next one in its child exceeds a limit before its end is read', async () => {
  const fetched: string[] = []
  const sandbox = await openSandbox({
    async fetch({ url }) {
      fetched.push(url)
      if (url.endsWith('second')) {
        await wait(50) // the CPU time of the run is measured meanwhile
        setImmediate(block, 800) // after the answer is sent
      }
      return { url, status: 204, headers: {}, body: '' }
    },
    acceptWeak: true,
    limits: { teamProcesses: 1, quickMs: 60_000, slowMs: 60_000, softCpuMs: 5_000, hardCpuMs: 400 },
  })
  await sandbox.run(job('warm'))
  const results = await Promise.all(['first', 'second', 'loops'].map((name) => sandbox.run(job(name))))
  await sandbox.close()
  assert.deepEqual(
    results.map((result) => ('value' in result ? result.value : 'breach' in result ? result.breach : result)),
    [204, 204, 'cpu'],
  )
  assert.deepEqual(
    fetched.map((url) => url.split('/').at(-1)),
    ['warm', 'first', 'second'],
  )
})
