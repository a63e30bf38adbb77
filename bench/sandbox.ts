import { createRequire } from 'node:module'
import { createContext, Script } from 'node:vm'
import type ivm from 'isolated-vm'
import type { Job } from '#sandbox/job.ts'
import { openSandbox } from '#sandbox/sandbox.ts'
import { engineFile } from '#sandbox/walls.ts'

/**
 * One event through a warm webhook that builds a Response, beside the same work in a bare isolated-vm call and in node:vm,
 * neither of which is a wall; and the cold start of a team. `npm run bench:sandbox`.
 */
const rounds = 2_000
const batch = 500
const event = { eventName: 'Purchase', eventId: 'order-1001', data: { value: 84.9, currency: 'EUR' } }
const code =
  'async process({ request }) { const event = await request.json(); return Response.json({ id: event.eventId, value: event.data.value }) }'

const request = {
  url: 'https://d.example/webhook/scr_1',
  method: 'POST',
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(event),
}
const jobOf = (teamId: string): Job => ({
  teamId,
  key: 'scr_1/1',
  code,
  name: 'process',
  shape: 'response',
  params: { request, secrets: {} },
  secrets: [],
})

async function timed(times: number, work: () => Promise<unknown>) {
  const tookMs: number[] = []
  for (let n = 0; n < times; n++) {
    const begun = performance.now()
    await work()
    tookMs.push(performance.now() - begun)
  }
  tookMs.sort((a, b) => a - b)
  return { p50: tookMs[times >> 1]!, p99: tookMs[Math.floor(times * 0.99)]! }
}

const bare =
  '(async (text) => { const event = JSON.parse(text); return JSON.stringify({ id: event.eventId, value: event.data.value }) })'

async function bareIsolate() {
  const engine = (createRequire(import.meta.url)(engineFile()!) as { ivm: typeof ivm }).ivm
  const context = await new engine.Isolate({ memoryLimit: 64 }).createContext()
  const run = (await context.eval(bare, { reference: true })) as ivm.Reference
  return timed(rounds, () => run.apply(undefined, [request.body], { timeout: 500, result: { promise: true } }))
}

const nodeVm = () => {
  const run = new Script(bare).runInContext(createContext({})) as (text: string) => Promise<string>
  return timed(rounds, () => run(request.body))
}

const sandbox = await openSandbox({ fetch: () => Promise.reject(new Error('nothing is fetched')), acceptWeak: true })
const runOf = async (teamId: string) => {
  const ran = await sandbox.run(jobOf(teamId))
  if (!('value' in ran)) throw new Error(JSON.stringify(ran))
}
await timed(500, () => runOf('warm'))
const warm = await timed(rounds, () => runOf('warm'))
const begun = performance.now()
for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: batch }, () => runOf('warm')))
const perSecond = (20 * batch * 1_000) / (performance.now() - begun)
const coldMs: number[] = []
for (let n = 0; n < 20; n++) {
  // the pool makes a new warm child meanwhile, as between two teams that come one after the other
  await new Promise((resolve) => setTimeout(resolve, 400))
  const at = performance.now()
  await runOf(`cold ${n}`)
  coldMs.push(performance.now() - at)
}
coldMs.sort((a, b) => a - b)
const isolate = await bareIsolate()
const vm = await nodeVm()
await sandbox.close()

const us = (ms: number) => `${Math.round(ms * 1_000)} µs`
const line = (name: string, { p50, p99 }: { p50: number; p99: number }) =>
  process.stdout.write(
    `${name.padEnd(36)} p50 ${us(p50).padStart(9)}  p99 ${us(p99).padStart(9)}  ${(p50 / vm.p50).toFixed(0)}×\n`,
  )
line('node:vm (no wall)', vm)
line('isolated-vm (one wall)', isolate)
line('a warm webhook (all walls)', warm)
process.stdout.write(`${'in batches of 500'.padEnd(36)} ${Math.round(perSecond)} events/s\n`)
process.stdout.write(`${'cold start of a team'.padEnd(36)} p50 ${coldMs[10]!.toFixed(1)} ms\n`)
process.exit(0)
