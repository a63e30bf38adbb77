import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { areSufficient, childCommands, engineFile, inspectLayers } from './isolationLayers.ts'
import { readProcessUsage } from './processUsage.ts'
import { openSandbox } from './sandbox.ts'

const all = { permission: true, network: true, user: true, noNewPrivileges: true, memory: true }

test('untrusted code requires the permission model and a network namespace, and no other layer', () => {
  assert.ok(areSufficient(all))
  assert.ok(areSufficient({ ...all, user: false, noNewPrivileges: false, memory: false }))
  assert.ok(!areSufficient({ ...all, network: false }))
  assert.ok(!areSufficient({ ...all, permission: false }))
})

test('the last command has no layer that /proc shows', async () => {
  const commands = await childCommands(engineFile()!)
  const { program, args } = commands.at(-1)!(1)
  assert.ok(args.includes('--permission'))
  const child = spawn(program, args, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const layers = await inspectLayers(child.pid!)
  assert.deepEqual(
    { network: layers.network, user: layers.user, memory: layers.memory },
    {
      network: false,
      user: false,
      memory: false,
    },
  )
  const usage = readProcessUsage(child.pid!)
  if (process.platform === 'linux') assert.ok(usage && usage.cpuMs > 0 && usage.residentBytes > 10e6)
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.equal(readProcessUsage(child.pid!), undefined)
})

test('each child has a separate user, and none has the environment of the server', async () => {
  const [strongest] = await childCommands(engineFile()!)
  if (process.platform !== 'linux') return
  const userOf = (n: number) => strongest!(n).args[strongest!(n).args.indexOf('--reuid') + 1]
  assert.notEqual(userOf(1), userOf(2))
})

test('no code runs without the required layers, and the state says why', async () => {
  const commands = async (engine: string) => (await childCommands(engine)).slice(-1)
  const fetch = async () => assert.fail()
  const sandbox = await openSandbox({ fetch, acceptWeak: false, commands })
  const job = {
    teamId: 't',
    key: 'k',
    code: 'async process() {}',
    name: 'process',
    resultKind: 'value',
    params: {},
    secrets: [],
  } as const
  const ran = await sandbox.run(job)
  await sandbox.close()
  assert.match(sandbox.state.off ?? '', /AGLET_ACCEPT_WEAK_SANDBOX/)
  assert.ok('notRun' in ran && ran.message === sandbox.state.off)
  const accepted = await openSandbox({ fetch, acceptWeak: true, commands })
  const weak = await accepted.run(job)
  await accepted.close()
  assert.equal(accepted.state.off, undefined)
  assert.deepEqual(weak, { value: null, logs: [] })
})

test('no code runs when the engine does not start, whatever is accepted', async () => {
  const sandbox = await openSandbox({ fetch: async () => assert.fail(), acceptWeak: true, commands: async () => [] })
  assert.match(sandbox.state.off ?? '', /does not start/)
  await sandbox.close()
})
