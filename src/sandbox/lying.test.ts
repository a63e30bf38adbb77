import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Job } from './job.ts'
import { limits } from './limits.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'

const program = join(import.meta.dirname, 'lying.fixture.ts')
let called = 0
let fetched = 0
let sandbox: Sandbox
before(async () => {
  const fetch = async () => {
    fetched++
    return { url: '', status: 200, headers: {}, body: '' }
  }
  const ways = async () => [() => ({ program: process.execPath, args: [program] })]
  sandbox = await openSandbox({ fetch, acceptWeak: true, ways, limits: { wallMs: 2_000 } })
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
    shape: 'value',
    params: { lie },
    calls: { count: async () => ++called },
    secrets: [],
  } satisfies Job)

test('a child that keeps to its limits is let be', async () => {
  assert.deepEqual(await run('none'), { value: 1, logs: [] })
})

for (const lie of [
  'too many calls',
  'too many calls of what is not there',
  'a call with more than it may hold',
  'too many lines of its log',
  'a line that is too long',
  'ready again and again',
])
  test(`a child that says ${lie} is killed for it, whatever it itself was to enforce`, async () => {
    const ran = await run(lie)
    assert.ok('breach' in ran && ran.breach === 'output', JSON.stringify(ran).slice(0, 200))
    assert.ok(called <= limits.calls, `${called} calls were made`)
    assert.ok(ran.logs.length <= limits.logLines)
  })

test('of the fetches of a child that does not count them ten are made', async () => {
  await run('too many fetches')
  assert.equal(fetched, limits.fetches)
})

test('a call that is given something nested too deep is not made', async () => {
  await run('a deep call')
  assert.equal(called, 0)
})
