import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hasPrlimit, peakOfChildren } from '../../test/fake/children.ts'
import type { Job } from './job.ts'
import { openSandbox, tellState } from './sandbox.ts'
import { type Command, commands } from './walls.ts'

const megabyte = 1024 * 1024

/** Nobody looks at what a child of this one has in memory. */
const openBlind = async (more: { ways?: typeof commands } = {}) => {
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
  shape: 'value',
  params: {},
  secrets: [],
  ...more,
})

test('the kernel refuses memory beyond the bound while nobody looks, and a neighbour goes on', async (t) => {
  const blind = await openBlind()
  assert.equal(blind.state.walls.memory, hasPrlimit)
  if (!hasPrlimit) return t.skip('there is no prlimit here')
  assert.match(tellState(blind.state), /no memory beyond a bound/)
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakOfChildren())
  }, 1)
  t.after(() => clearInterval(look))
  for (const body of [
    `const t = 'ab'.repeat(2 ** 28 - 20); return /c/.test(t) + t.charCodeAt(5)`,
    `return JSON.parse('['.repeat(5e6))`,
    `return (1n << 1000000000n).toString(16).length`,
  ]) {
    const [ran, next] = await Promise.all([blind.run(job(body)), blind.run(job('return 1', { teamId: 'neighbour' }))])
    assert.ok('breach' in ran && ran.breach === 'memory', `${body}: ${JSON.stringify(ran)}`)
    assert.deepEqual(next, { value: 1, logs: [] })
    assert.deepEqual(await blind.run(job('return 2')), { value: 2, logs: [] })
  }
  assert.ok(peak > 60 * megabyte && peak <= 160 * megabyte, `a child had ${peak} bytes`)
})

test('code may fill its isolate, be given and give as much as it may, under the bound', async () => {
  const blind = await openBlind()
  const body = `const all = []
    for (let n = 0; n < 54; n++) all.push(new Uint8Array(2 ** 20).fill(1))
    return params.text + all.length`
  const text = 'x'.repeat(250 * 1024)
  assert.deepEqual(await blind.run(job(body, { params: { text } })), { value: `${text}54`, logs: [] })
})

test('a child goes from script to script under the bound of one', async () => {
  const one = await openBlind()
  const code = 'const all = []; for (let n = 0; n < 1e5; n++) all.push({ n }); return all.length'
  for (let n = 0; n < 40; n++)
    assert.deepEqual(await one.run(job(`${code} + ${n}`)), { value: 1e5 + n, logs: [] }, `script ${n}`)
})

test('where prlimit is not there the other walls are built all the same', async () => {
  const missing = (name: string) => (name === 'prlimit' ? 'no-such-program' : name)
  const without =
    (command: Command): Command =>
    (n) => {
      const { program, args } = command(n)
      return { program: missing(program), args: args.map(missing) }
    }
  const ways = async (engine: string) => (await commands(engine)).map(without)
  const [less, all] = [await openBlind({ ways }), await openBlind()]
  assert.deepEqual(less.state.walls, { ...all.state.walls, memory: false })
  assert.deepEqual(await less.run(job('return 1')), { value: 1, logs: [] })
})
