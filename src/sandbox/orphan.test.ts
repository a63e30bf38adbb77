import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'

const isAlive = (pid: string) => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('the children of a killed server end, even while they run code', {
  skip: process.platform !== 'linux',
}, async (context) => {
  const server = spawn(process.execPath, [join(import.meta.dirname, 'orphan.fixture.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  context.after(() => server.kill('SIGKILL'))
  const [printed] = (await once(server.stdout, 'data')) as [Buffer]
  const children = printed.toString().trim().split(',')
  assert.ok(children.length >= 1 && children.every(isAlive))
  server.kill('SIGKILL')
  await once(server, 'exit')
  const until = performance.now() + 5_000
  while (children.some(isAlive)) {
    assert.ok(performance.now() < until, 'a child is still alive')
    await after(10)
  }
})
