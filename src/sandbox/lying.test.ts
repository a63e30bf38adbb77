import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Job } from './job.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'
import { sandboxLimits } from './sandboxLimits.ts'

const program = join(import.meta.dirname, 'lying.fixture.ts')
let called = 0
let fetched = 0
let sandbox: Sandbox
before(async () => {
  const fetch = async () => {
    fetched++
    return { url: '', status: 200, headers: {}, body: '' }
  }
  const commands = async () => [() => ({ program: process.execPath, args: [program] })]
  // Long enough that even on a slow machine the output ends the child first.
  sandbox = await openSandbox({ fetch, acceptWeak: true, commands, limits: { wallMs: 30_000 } })
})
after(() => sandbox.close())
beforeEach(() => {
  called = 0
  fetched = 0
})

const run = (lie: string) =>
  sandbox.run({
    teamId: `team of ${lie}`,
    key: lie,
    code: '',
    name: 'process',
    resultKind: 'value',
    params: { lie },
    calls: { count: async () => ++called },
    secrets: [],
  } satisfies Job)

test('a child within its limits is not killed', async () => {
  assert.deepEqual(await run('none'), { value: 1, logs: [] })
})

for (const lie of [
  'too many calls',
  'too many calls of an unknown function',
  'a call with too large arguments',
  'too many log lines',
  'a log line that is too long',
  'repeated ready messages',
])
  test(`a child that sends ${lie} is killed`, async () => {
    const ran = await run(lie)
    assert.ok('breach' in ran && ran.breach === 'output', JSON.stringify(ran).slice(0, 200))
    assert.ok(called <= sandboxLimits.calls, `${called} calls were made`)
    assert.ok(ran.logs.length <= sandboxLimits.logLines)
  })

test('the parent makes at most ten fetches of a run', async () => {
  await run('too many fetches')
  assert.equal(fetched, sandboxLimits.fetches)
})

test('a call with too deeply nested arguments is not made', async () => {
  await run('a deeply nested call')
  assert.equal(called, 0)
})
