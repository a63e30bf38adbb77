import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from './job.ts'
import { type SandboxState, tellState } from './sandbox.ts'
import { shareSandbox } from './shared.ts'

const job: Job = {
  teamId: 'team_1',
  key: 'scr_1/1',
  code: 'async process({ n }) { return n + 1 }',
  name: 'process',
  shape: 'value',
  params: { n: 1 },
  secrets: [],
}
const noFetch = () => Promise.reject(new Error('nothing is fetched'))

test('a shared sandbox starts nothing before code is run or its walls are asked for, and nothing after it is closed', async () => {
  const looked: string[] = []
  const ways = async () => {
    looked.push('looked')
    return []
  }
  const idle = shareSandbox({ fetch: noFetch, acceptWeak: false, ways })
  await idle.close()
  assert.deepEqual(await idle.run(job), { notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] })
  assert.deepEqual(looked, [])
})

test('the walls are found out once, however they are asked for; who asks at once is told as soon as they are known', async () => {
  let looks = 0
  const ways = async () => {
    looks++
    return []
  }
  const shared = shareSandbox({ fetch: noFetch, acceptWeak: false, ways })
  assert.equal(shared.says(), 'being found out')
  const { off } = await shared.state()
  assert.equal(shared.says(), `off: ${off}`)
  const ran = await shared.run(job)
  assert.equal('notRun' in ran && ran.notRun, 'off')
  assert.equal(looks, 1)
  await shared.close()
})

test('code is run by whoever comes first, and a run that comes meanwhile by the same children', async () => {
  const shared = shareSandbox({ fetch: noFetch, acceptWeak: true, limits: { warm: 1 } })
  const ran = await Promise.all([shared.run(job), shared.run({ ...job, params: { n: 2 } })])
  assert.deepEqual(
    ran.map((each) => 'value' in each && each.value),
    [2, 3],
  )
  await shared.close()
})

test('the state in words names the walls that stand and those that are missing', () => {
  const walls = { permission: true, network: true, user: false, noNewPrivileges: true, memory: true }
  const state: SandboxState = { walls }
  assert.equal(
    tellState(state),
    'ok: no files, no network, no new privileges, no memory beyond a bound; missing: a user of its own',
  )
  assert.equal(tellState({ walls, off: 'Why.' }), 'off: Why.')
})
