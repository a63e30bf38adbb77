import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Job } from './job.ts'
import { describeState, type SandboxState } from './sandbox.ts'
import { createSharedSandbox } from './sharedSandbox.ts'

const job: Job = {
  teamId: 'team_1',
  key: 'scr_1/1',
  code: 'async process({ n }) { return n + 1 }',
  name: 'process',
  resultKind: 'value',
  params: { n: 1 },
  secrets: [],
}
const noFetch = () => Promise.reject(new Error('no fetch is expected'))

test('a shared sandbox starts no process before the first run or query of its state, and none after it is closed', async () => {
  const probes: string[] = []
  const commands = async () => {
    probes.push('probe')
    return []
  }
  const idle = createSharedSandbox({ fetch: noFetch, acceptWeak: false, commands })
  await idle.close()
  assert.deepEqual(await idle.run(job), { notRun: 'overloaded', message: 'The sandbox is closed.', logs: [] })
  assert.deepEqual(probes, [])
})

test('the isolation layers are probed once, and describe has the result as soon as it is known', async () => {
  let probeCount = 0
  const commands = async () => {
    probeCount++
    return []
  }
  const shared = createSharedSandbox({ fetch: noFetch, acceptWeak: false, commands })
  assert.equal(shared.describe(), 'being found out')
  const { off } = await shared.state()
  assert.equal(shared.describe(), `off: ${off}`)
  const ran = await shared.run(job)
  assert.equal('notRun' in ran && ran.notRun, 'off')
  assert.equal(probeCount, 1)
  await shared.close()
})

test('concurrent first runs share one pool of children', async () => {
  const shared = createSharedSandbox({ fetch: noFetch, acceptWeak: true, limits: { warmProcesses: 1 } })
  after(() => shared.close())
  const ran = await Promise.all([shared.run(job), shared.run({ ...job, params: { n: 2 } })])
  assert.deepEqual(
    ran.map((each) => 'value' in each && each.value),
    [2, 3],
  )
})

test('the state as text names the present and the missing layers', () => {
  const layers = { permission: true, network: true, user: false, noNewPrivileges: true, memory: true }
  const state: SandboxState = { layers: layers }
  assert.equal(
    describeState(state),
    'ok: no files, no network, no new privileges, a memory limit; missing: a separate user',
  )
  assert.equal(describeState({ layers: layers, off: 'Why.' }), 'off: Why.')
})
