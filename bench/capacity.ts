// Measures the cost of an event in each role, and whether the plan of docs/capacity.md predicts a higher rate: `npm run
// bench:capacity`, about three minutes. It writes bench/capacityCosts.json; `--into` names another file.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { CapacityCosts, RoleCost } from '../scripts/capacity/costs.ts'
import { simulateAnswers } from '../scripts/capacity/simulate.ts'
import { startAgletProcesses } from '../scripts/cluster/agletProcesses.ts'
import { openClusterFolder } from '../scripts/cluster/clusterFolder.ts'
import { until } from '../test/fake/aglet.ts'
import { startPostgres } from '../test/fake/postgresServer.ts'
import { noEventLimits, tagWith } from './aglet.ts'
import { serverCosts } from './capacityServer.ts'
import { loadAt, quantile, single } from './load.ts'
import { describeMachine, machineLine } from './machine.ts'
import { postgresCpuUs, processesCpuUs } from './postgresCpu.ts'
import { startVendor } from './target.ts'

const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(import.meta.dirname, 'capacityCosts.json') },
    learn: { type: 'string', default: '40,120' },
    check: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
  },
})
const channels = 5
const settleMs = 1_500
const seconds = Number(values.seconds)
/** A rate at which no event waits for another, at an edge that gets half of them. */
const aloneASecond = 20
const points = Array.from({ length: 101 }, (_, n) => n / 100)
const roles = ['edge', 'worker', 'primary'] as const
type Role = (typeof roles)[number]

const server = await startPostgres({ fsync: 'on', synchronous_commit: 'on', shared_buffers: '256MB' })
const machine = `${machineLine(describeMachine())}, load ${loadavg()[0]!.toFixed(0)}`
console.log(machine)
const measured = await serverCosts(server)
const folder = openClusterFolder()
const aglet = await startAgletProcesses({
  folder,
  databaseUrl: () => server.url,
  environment: {
    AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    AGLET_RATE_LIMIT: '1000000',
    AGLET_SYNC_STANDBYS: '0',
    AGLET_ROOT_KEY: randomBytes(32).toString('base64url'),
    ...noEventLimits,
  },
})
const vendor = await startVendor()
const { pathname } = new URL((await tagWith(aglet.of('control')[0]!, 'bench', channels, vendor.url)).tagUrl)
const urls = aglet.edgeOrigins.map((origin) => `${origin}${pathname}/tag`)
const cpuOf = (role: 'edge' | 'worker') => processesCpuUs(aglet.of(role).map((each) => each.pid()))
const cpu = (): Record<Role, number> => ({
  edge: cpuOf('edge'),
  worker: cpuOf('worker'),
  primary: postgresCpuUs(server.port),
})

type Spent = Record<Role, number> & { seconds: number }
async function spent(work: () => Promise<unknown>): Promise<Spent> {
  const [before, begun] = [cpu(), performance.now()]
  await work()
  const after = cpu()
  const of = (role: Role) => after[role] - before[role]
  return {
    edge: of('edge'),
    worker: of('worker'),
    primary: of('primary'),
    seconds: (performance.now() - begun) / 1_000,
  }
}

/** Sends at a rate through all edges, until everything is delivered and written. Also returns the response times. */
async function run(perSecond: number) {
  const before = await vendor.count()
  const times: number[] = []
  const each = perSecond / urls.length
  const used = await spent(async () => {
    const all = await Promise.all(urls.map((url) => loadAt({ url, perSecond: each, seconds, ask: single })))
    times.push(...all.flat())
    await until(async () => (await vendor.count()) >= before + times.length * channels, 300_000)
    await setTimeout(settleMs)
  })
  const told = Object.values(await vendor.told())
  return { times, used, events: times.length, delivered: told[0] }
}

const learning = values.learn.split(',').map(Number)
// Warm-up: a process compiles its code in the first minutes, and its answers take several times as long until then.
for (let round = 0; round < 3; round++) await run(learning.at(-1)!)
const alone = await run(aloneASecond)
const calibrated: { perSecond: number; used: Spent }[] = []
for (const rate of learning) calibrated.push({ perSecond: rate, ...(await run(rate)) })
const [low, high] = [calibrated[0]!, calibrated.at(-1)!]
/** A line through the CPU time of two rates. */
function costOf(role: Role, processes: number): RoleCost {
  const events = (high.perSecond - low.perSecond) * seconds
  const eventUs = Math.max(0, (high.used[role] - low.used[role]) / events)
  return { baseUs: Math.max(0, low.used[role] / seconds - low.perSecond * eventUs) / processes, eventUs }
}
const costs: CapacityCosts = {
  machine,
  channels,
  edge: costOf('edge', aglet.of('edge').length),
  worker: costOf('worker', aglet.of('worker').length),
  primary: { ...costOf('primary', 1), ...measured.primary },
  walBytes: measured.walBytes,
  answerMs: points.map((share) => Math.round(quantile(alone.times, share) * 10) / 10),
}
const rounded = JSON.stringify(
  costs,
  (_, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value),
  2,
)
writeFileSync(values.into, `${rounded}\n`)

const rate = Number(values.check)
const checked = await run(rate)
console.log(`\n${rate} events a second, ${checked.used.seconds.toFixed(0)} s until all was delivered; ${machine}`)
console.log('| | predicted | measured |\n|---|---:|---:|')
for (const role of roles) {
  const processes = role === 'primary' ? 1 : aglet.of(role).length
  const predicted = costs[role].baseUs * processes * seconds + costs[role].eventUs * checked.events
  const [one, other] = [predicted, checked.used[role]].map((us) => `${(us / seconds / 10_000).toFixed(0)} %`)
  console.log(`| CPU of all processes, ${role}, of one core | ${one} | ${other} |`)
}
const predicted = simulateAnswers({ perSecond: rate, edges: 2, events: 20_000, answerMs: costs.answerMs, seed: 1 })
for (const [name, share] of [
  ['p50', 0.5],
  ['p99', 0.99],
] as const)
  console.log(
    `| answer, ${name} | ${predicted[name].toFixed(0)} ms | ${quantile(checked.times, share).toFixed(0)} ms |`,
  )
console.log(`| delivered, p50 and p99 | | ${checked.delivered?.p50} and ${checked.delivered?.p99} ms |`)
await vendor.stop()
await folder.remove()
await server.stop()
