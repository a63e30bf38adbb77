import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hasPrlimit, peakOfChildren } from '../../test/fake/children.ts'
import { type ChildCommand, childCommands } from './isolationLayers.ts'
import type { Job } from './job.ts'
import { describeState, openSandbox } from './sandbox.ts'

const megabyte = 1024 * 1024

/** A sandbox that does not poll the memory of its children, so that only the kernel's limit applies. */
const openWithoutPolling = async (more: { commands?: typeof childCommands } = {}) => {
  const fetch = async () => assert.fail()
  const sandbox = await openSandbox({ fetch, acceptWeak: true, limits: { residentBytes: Infinity }, ...more })
  after(() => sandbox.close())
  return sandbox
}

const job = (body: string, more: Partial<Job> = {}): Job => ({
  teamId: 'team',
  key: body,
  code: `async function process(params) {\n${body}\n}`,
  name: 'process',
  resultKind: 'value',
  params: {},
  secrets: [],
  ...more,
})

test('the kernel refuses memory beyond the limit, and the runs of other teams continue', async (t) => {
  const sandbox = await openWithoutPolling()
  assert.equal(sandbox.state.layers.memory, hasPrlimit)
  if (!hasPrlimit) return t.skip('prlimit is not available')
  assert.match(describeState(sandbox.state), /a memory limit/)
  let peak = 0
  const sampling = setInterval(() => {
    peak = Math.max(peak, peakOfChildren())
  }, 1)
  t.after(() => clearInterval(sampling))
  for (const body of [
    `const t = 'ab'.repeat(2 ** 28 - 20); return /c/.test(t) + t.charCodeAt(5)`,
    `return JSON.parse('['.repeat(5e6))`,
    `return (1n << 1000000000n).toString(16).length`,
  ]) {
    const [ran, next] = await Promise.all([
      sandbox.run(job(body)),
      sandbox.run(job('return 1', { teamId: 'neighbour' })),
    ])
    assert.ok('breach' in ran && ran.breach === 'memory', `${body}: ${JSON.stringify(ran)}`)
    assert.deepEqual(next, { value: 1, logs: [] })
    assert.deepEqual(await sandbox.run(job('return 2')), { value: 2, logs: [] })
  }
  assert.ok(peak > 60 * megabyte && peak <= 160 * megabyte, `a child had ${peak} bytes`)
})

test('code can use the whole memory of its isolate, its params and its result within the limit', async () => {
  const sandbox = await openWithoutPolling()
  const body = `const all = []
    for (let n = 0; n < 54; n++) all.push(new Uint8Array(2 ** 20).fill(1))
    return params.text + all.length`
  const text = 'x'.repeat(250 * 1024)
  assert.deepEqual(await sandbox.run(job(body, { params: { text } })), { value: `${text}54`, logs: [] })
})

test('a child can run many scripts in sequence within the limit', async () => {
  const one = await openWithoutPolling()
  const code = 'const all = []; for (let n = 0; n < 1e5; n++) all.push({ n }); return all.length'
  for (let n = 0; n < 40; n++)
    assert.deepEqual(await one.run(job(`${code} + ${n}`)), { value: 1e5 + n, logs: [] }, `script ${n}`)
})

test('without prlimit the other isolation layers are used', async () => {
  const missing = (name: string) => (name === 'prlimit' ? 'no-such-program' : name)
  const without =
    (command: ChildCommand): ChildCommand =>
    (n) => {
      const { program, args } = command(n)
      return { program: missing(program), args: args.map(missing) }
    }
  const commands = async (engine: string) => (await childCommands(engine)).map(without)
  const [less, all] = [await openWithoutPolling({ commands }), await openWithoutPolling()]
  assert.deepEqual(less.state.layers, { ...all.state.layers, memory: false })
  assert.deepEqual(await less.run(job('return 1')), { value: 1, logs: [] })
})
