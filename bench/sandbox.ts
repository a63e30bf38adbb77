import { createRequire } from 'node:module'
import { createContext, Script } from 'node:vm'
import type ivm from 'isolated-vm'
import type { TagEvent } from '#contract/event.ts'
import type { Ready } from '#delivery/ready.ts'
import { type RunWorld, runCode } from '#delivery/run.ts'
import { judge } from '#provider/answer.ts'
import { buildRequests } from '#provider/build.ts'
import { identityOf } from '#provider/identity.ts'
import webhook from '#providers/webhook.ts'
import type { Job } from '#sandbox/job.ts'
import { openSandbox } from '#sandbox/sandbox.ts'
import { engineFile } from '#sandbox/walls.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'

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
/** Events a second, and what each costs the server's own process (µs), when many are handed over together. */
async function inBatches(work: () => Promise<void>) {
  const before = process.cpuUsage()
  const begun = performance.now()
  for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: batch }, work))
  const { user, system } = process.cpuUsage(before)
  return { perSecond: (20 * batch * 1_000) / (performance.now() - begun), cpuUs: (user + system) / (20 * batch) }
}
const runs = await inBatches(() => runOf('warm'))
const coldMs: number[] = []
for (let n = 0; n < 20; n++) {
  // the pool makes a new warm child meanwhile, as between two teams that come one after the other
  await new Promise((resolve) => setTimeout(resolve, 400))
  const at = performance.now()
  await runOf(`cold ${n}`)
  coldMs.push(performance.now() - at)
}
coldMs.sort((a, b) => a - b)
/** The whole way of an event through the webhook channel: its request is described, handed over, and its answer read. */
const script: SnapshotScript = {
  scriptId: 'scr_2',
  name: 'w',
  providerId: 'webhook',
  purchaseValueMode: 'gross',
  secrets: {},
}
const tag = { tagId: 'tag_1', teamId: 'warm' } as Snapshot
const secrets = { WEBHOOK_CODE: code, WEBHOOK_TOKEN: 'hook-token', WEBHOOK_SECRETS: '{"KEY":"k-1"}' }
const person = { userId: 'usr_1', email: 'jane@example.com' }
const identity = identityOf(person)
const world = { brand: 'Service', tagUrl: (tagId: string) => `https://d.example/t/${tagId}`, runCode: sandbox.run }
async function deliver() {
  const outgoing = {
    event: { ...event, timestamp: Date.now() } as TagEvent,
    person,
    identity,
    custom: {},
    captured: {},
  }
  const built = buildRequests('webhook', webhook, { ...outgoing, secrets, purchaseValueMode: 'gross', now: Date.now() })
  if (!('requests' in built)) throw new Error('the webhook was not to be told')
  const ready = { delivery: {} as Ready['delivery'], tag, provider: webhook, script, outgoing, secrets }
  const answer = await runCode(built.requests[0]!, webhook.code!, ready, world as unknown as RunWorld)
  if (judge(webhook, answer, Date.now()).verdict !== 'delivered') throw new Error(JSON.stringify(answer))
}
await timed(500, deliver)
const whole = await timed(rounds, deliver)
const channel = await inBatches(deliver)
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
line('an event through the channel', whole)
for (const [name, { perSecond, cpuUs }] of [
  ['runs in batches of 500', runs],
  ['the same through the channel', channel],
] as const)
  process.stdout.write(
    `${name.padEnd(36)} ${Math.round(perSecond)} events/s, ${Math.round(cpuUs)} µs of the server each\n`,
  )
process.stdout.write(`${'cold start of a team'.padEnd(36)} p50 ${coldMs[10]!.toFixed(1)} ms\n`)
process.exit(0)
