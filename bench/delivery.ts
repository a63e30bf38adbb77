import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  sinkAt,
  startAglet,
  stopAglet,
  until,
} from '../test/fake/aglet.ts'
import { cpuSeconds, load, residentMb, shopEvent } from './load.ts'

const { values: flags } = parseArgs({
  options: {
    /** Events per second, and for how long. */
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    /** Events of the peak, and deliveries of the backlog. */
    peak: { type: 'string', default: '10000' },
    backlog: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
})

type Told = Record<string, { count: number; p50: number; p99: number; max: number }>
type Bench = { aglet: Aglet; vendor: string }

const pidOf = ({ aglet }: Bench) => aglet.process.pid!
let made = 0
const body = () => JSON.stringify(shopEvent(`bench-${Date.now()}-${made++}`))
const say = (what: string, row: Record<string, unknown>) => console.log(what, JSON.stringify(row))

async function startChild(file: string, ...args: (string | number)[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args.map(String)], { stdio: 'inherit' })
  await until(async () => (await fetch(`http://127.0.0.1:${args[0]}/told`).catch(() => undefined))?.ok ?? false)
  return child
}

/** A tag of its own with a channel for each of these paths of the vendor. */
async function tagWith({ aglet, vendor }: Bench, name: string, paths: readonly string[]): Promise<Customer> {
  const customer = await makeCustomer(aglet, name)
  for (const path of paths) await makeScript(customer, 'eventSink', path.replace('/', ' '), sinkAt(`${vendor}/${path}`))
  return customer
}

const told = async ({ vendor }: Bench) => (await (await fetch(`${vendor}/told`)).json()) as Told

/** Sends at an even rate, and gives up no beat when an answer is late. */
async function sendAt(url: string, rate: number, seconds: number): Promise<void> {
  const beatMs = 20
  const underWay = new Set<Promise<void>>()
  const begun = performance.now()
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - begun) / 1_000) * rate))
    if (due > sent) {
      const some = load({ url, connections: 8, requests: due - sent, body })
      const flight: Promise<void> = some.finally(() => underWay.delete(flight))
      underWay.add(flight)
      sent = due
    }
    await new Promise((resolve) => setTimeout(resolve, beatMs))
  }
  await Promise.all(underWay)
}

/** Counts what arrives until it is so many, at the paths that begin so. */
async function arrived(on: Bench, count: number, withinMs = 600_000): Promise<Told> {
  const all: Told = {}
  await until(async () => {
    for (const [path, one] of Object.entries(await told(on))) {
      const known = all[path]
      all[path] = known
        ? {
            ...one,
            count: known.count + one.count,
            p99: Math.max(known.p99, one.p99),
            max: Math.max(known.max, one.max),
          }
        : one
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
    return Object.values(all).reduce((sum, each) => sum + each.count, 0) >= count
  }, withinMs)
  return all
}

const worst = (rows: Told, sign = '') =>
  Math.max(...Object.entries(rows).flatMap(([path, { p99 }]) => (path.startsWith(sign) ? [p99] : [])))

async function sustained(on: Bench): Promise<void> {
  const { tagUrl } = await tagWith(
    on,
    'sustained',
    [0, 1, 2, 3, 4].map((n) => `fast/s${n}`),
  )
  const [rate, seconds] = [Number(flags.rate), Number(flags.seconds)]
  const before = cpuSeconds(pidOf(on))
  const begun = performance.now()
  await sendAt(`${tagUrl}/tag`, rate, seconds)
  const rows = await arrived(on, rate * seconds * 5)
  const tookS = (performance.now() - begun) / 1_000
  const deliveries = rate * seconds * 5
  const cpuMs = ((cpuSeconds(pidOf(on)) - before) * 1_000) / deliveries
  const perSecond = Math.round(deliveries / tookS)
  say(`sustained ${rate} events/s x 5`, {
    perSecond,
    worstP99Ms: worst(rows),
    residentMb: Math.round(residentMb(pidOf(on))),
    cpuMsPerDelivery: Number(cpuMs.toFixed(3)),
  })
}

async function slow(on: Bench): Promise<void> {
  const { tagUrl } = await tagWith(on, 'slow', ['slow/1'])
  const [rate, seconds] = [Number(flags.rate), Number(flags.seconds)]
  const begun = performance.now()
  await sendAt(`${tagUrl}/tag`, rate, seconds)
  const rows = await arrived(on, rate * seconds)
  const lagS = (performance.now() - begun) / 1_000 - seconds
  say('a vendor of 200 ms', {
    rate,
    seconds,
    lagS: Number(lagS.toFixed(1)),
    p50Ms: rows['slow/1']?.p50,
    p99Ms: worst(rows),
  })
}

async function peak(on: Bench): Promise<void> {
  const events = Number(flags.peak)
  const rateAt = async (url: string) => {
    await told(on)
    const begun = performance.now()
    await load({ url, connections: 64, requests: events, body })
    await arrived(on, events * 5)
    return (events * 5) / ((performance.now() - begun) / 1_000)
  }
  const port = await freePort()
  const forwarder = await startChild('forward.ts', port, on.vendor, 5)
  const bare = await rateAt(`http://127.0.0.1:${port}/`)
  forwarder.kill()
  const { tagUrl } = await tagWith(
    on,
    'peak',
    [0, 1, 2, 3, 4].map((n) => `fast/p${n}`),
  )
  const ours = await rateAt(`${tagUrl}/tag`)
  say('peak', { ours: Math.round(ours), bare: Math.round(bare), ratio: Number((ours / bare).toFixed(2)) })
}

async function isolation(on: Bench): Promise<void> {
  const healthy = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const [rate, seconds] = [50, Math.max(10, Number(flags.seconds) / 2)]
  let baseline = 0
  for (const bad of ['fast', 'down', 'slow', 'reset', 'limited', 'dead']) {
    const paths = [...healthy.map((n) => `fast/${bad}${n}`), `${bad}/10`]
    const { tagUrl } = await tagWith(on, `isolation ${bad}`, paths)
    await told(on)
    await sendAt(`${tagUrl}/tag`, rate, seconds)
    const rows = await arrived(on, rate * seconds * 9)
    const p99Ms = worst(rows, `fast/${bad}`)
    if (bad === 'fast') baseline = p99Ms
    const goalMs = Math.round(Math.max(1.2 * baseline, baseline + 50))
    say(`nine healthy channels, the tenth ${bad}`, { p99Ms, goalMs })
  }
}

/** What waits for a channel that is paused by hand, and then is not. */
async function backlog(on: Bench): Promise<void> {
  const count = Number(flags.backlog)
  const customer = await tagWith(on, 'backlog', ['fast/b'])
  const { body: list } = await call<{ scripts: { scriptId: string }[] }>(
    customer,
    'GET',
    `/script?tagId=${customer.tagId}`,
  )
  const path = `/script/${list.scripts[0]!.scriptId}`
  await call(customer, 'POST', `${path}/pause`, {})
  const some = () => JSON.stringify(Array.from({ length: 50 }, () => shopEvent(`bench-${Date.now()}-${made++}`)))
  await load({ url: `${customer.tagUrl}/tag`, connections: 16, requests: count / 50, body: some })
  await told(on)
  const before = residentMb(pidOf(on))
  const begun = performance.now()
  await call(customer, 'POST', `${path}/resume`, {})
  await arrived(on, count, 3_600_000)
  const perSecond = Math.round(count / ((performance.now() - begun) / 1_000))
  say('backlog', { count, perSecond, residentMb: [Math.round(before), Math.round(residentMb(pidOf(on)))] })
}

const parts = { sustained, slow, peak, isolation, backlog }
const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
const vendorPort = await freePort()
const vendor = await startChild('vendor.ts', vendorPort)
const aglet = await startAglet({ data, port: await freePort(), environment: { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' } })
try {
  const on = { aglet, vendor: `http://127.0.0.1:${vendorPort}` }
  for (const [name, run] of Object.entries(parts))
    if (!flags.only || flags.only.split(',').includes(name)) await run(on)
} finally {
  await stopAglet(aglet)
  vendor.kill()
  rmSync(data, { recursive: true, force: true })
}
