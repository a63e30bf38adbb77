import assert from 'node:assert/strict'
import { executionAsyncId } from 'node:async_hooks'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

const program = `import { createServer } from 'node:http'
import { test } from 'node:test'
const wait = (signal) => new Promise((resolve, reject) => signal.addEventListener('abort', resolve))
const failLater = {
  timer: () => setTimeout(() => { throw new Error('mark') }, 1),
  immediate: () => setImmediate(() => { throw new Error('mark') }),
  tick: () => process.nextTick(() => { throw new Error('mark') }),
  rejection: () => void Promise.reject(new Error('mark')),
  server: () => {
    const server = createServer(() => {
      server.closeAllConnections()
      server.close()
      throw new Error('mark')
    }).listen(0, () => fetch('http://127.0.0.1:' + server.address().port).catch(() => {}))
  },
}
test('outer', async () => {
  for (const [name, fail] of Object.entries(failLater))
    test(name, async ({ signal }) => {
      const aborted = wait(signal)
      fail()
      await aborted
    })
  test('passes', async (context) => {
    await new Promise(setImmediate)
    await context.test('inner', () => {})
  })
})
`

const linesOf = (flags: readonly string[]): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-scopes-'))
  try {
    const path = join(folder, 'program.mjs')
    writeFileSync(path, program)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout } = spawnSync(process.execPath, [...flags, '--test-reporter=tap', path], {
      encoding: 'utf8',
      env,
    })
    assert.equal(status, 1)
    return stdout.split('\n').filter((line) => /^ *(not )?ok /.test(line))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('an error in a callback fails the test that caused it, as with the runner’s own hook', () => {
  const scopes = `--import=${pathToFileURL(join(import.meta.dirname, 'testScopes.ts'))}`
  const lines = linesOf([scopes])
  assert.deepEqual(lines, linesOf([]))
  assert.deepEqual(
    lines.map((line) => line.trim()),
    [
      'not ok 1 - timer',
      'not ok 2 - immediate',
      'not ok 3 - tick',
      'not ok 4 - rejection',
      'not ok 5 - server',
      'ok 1 - inner',
      'ok 6 - passes',
      'not ok 1 - outer',
    ],
  )
})

test('no hook follows the promises of a test', async () => {
  await undefined
  const before = executionAsyncId()
  await undefined
  assert.equal(executionAsyncId(), before)
})
