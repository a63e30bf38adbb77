import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { openSandbox } from './sandbox.ts'
import { usageOf } from './usage.ts'
import { areStrong, commands, engineFile, wallsOf } from './walls.ts'

const all = { permission: true, network: true, user: true, noNewPrivileges: true, memory: true }

test('untrusted code needs the permission model and a network namespace; the other walls are welcome', () => {
  assert.ok(areStrong(all))
  assert.ok(areStrong({ ...all, user: false, noNewPrivileges: false, memory: false }))
  assert.ok(!areStrong({ ...all, network: false }))
  assert.ok(!areStrong({ ...all, permission: false }))
})

test('the last way to start a child has no wall but the permission model, and the walls are seen from outside', async () => {
  const ways = await commands(engineFile()!)
  const { program, args } = ways.at(-1)!(1)
  assert.ok(args.includes('--permission'))
  const child = spawn(program, args, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const walls = await wallsOf(child.pid!)
  assert.deepEqual(
    { network: walls.network, user: walls.user, memory: walls.memory },
    {
      network: false,
      user: false,
      memory: false,
    },
  )
  const usage = usageOf(child.pid!)
  if (process.platform === 'linux') assert.ok(usage && usage.cpuMs > 0 && usage.residentBytes > 10e6)
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.equal(usageOf(child.pid!), undefined)
})

test('each child has a user of its own, and none has the environment of the server', async () => {
  const [strongest] = await commands(engineFile()!)
  if (process.platform !== 'linux') return
  const userOf = (n: number) => strongest!(n).args[strongest!(n).args.indexOf('--reuid') + 1]
  assert.notEqual(userOf(1), userOf(2))
})

test('where the walls cannot be built nothing runs, and the state says why', async () => {
  const ways = async (engine: string) => (await commands(engine)).slice(-1)
  const fetch = async () => assert.fail()
  const sandbox = await openSandbox({ fetch, acceptWeak: false, ways })
  const job = {
    teamId: 't',
    key: 'k',
    code: 'async process() {}',
    name: 'process',
    shape: 'value',
    params: {},
    secrets: [],
  } as const
  const ran = await sandbox.run(job)
  await sandbox.close()
  assert.match(sandbox.state.off ?? '', /AGLET_ACCEPT_WEAK_SANDBOX/)
  assert.ok('notRun' in ran && ran.message === sandbox.state.off)
  const accepted = await openSandbox({ fetch, acceptWeak: true, ways })
  const weak = await accepted.run(job)
  await accepted.close()
  assert.equal(accepted.state.off, undefined)
  assert.deepEqual(weak, { value: null, logs: [] })
})

test('where the engine does not start nothing runs, whatever is accepted', async () => {
  const sandbox = await openSandbox({ fetch: async () => assert.fail(), acceptWeak: true, ways: async () => [] })
  assert.match(sandbox.state.off ?? '', /does not start/)
  await sandbox.close()
})
