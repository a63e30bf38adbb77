import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Aglet, freePort, startAglet, stopAglet, until } from '../test/fake/aglet.ts'
import { tagTo } from './aglet.ts'
import { cpuSeconds, loadAt, residentMb, single } from './load.ts'
import { startVendor, type Told, type Vendor } from './target.ts'
import { tenants } from './tenants.ts'

/**
 * Delivery at a constant rate: memory use, and the effect of a slow or broken vendor on itself and on the others. Sender,
 * server and vendors share the cores of the machine.
 */
const { values: flags } = parseArgs({
  options: {
    /** Events per second, and the duration. */
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
    /** Events per second that a team may send, and its burst. */
    limit: { type: 'string', default: '2000' },
  },
})

const warmSeconds = 5

type Bench = { aglet: Aglet; vendor: Vendor }

const pidOf = ({ aglet }: Bench) => aglet.process.pid!
const say = (what: string, row: object) => console.log(what, JSON.stringify(row))

/** Waits until this many have arrived at the paths with this prefix, and reports their delays. */
async function arrived(deps: Bench, count: number, sign: string): Promise<Told> {
  const countOf = (came: Record<string, number>) =>
    Object.entries(came).reduce((sum, [path, each]) => sum + (path.startsWith(sign) ? each : 0), 0)
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return countOf(await deps.vendor.came()) >= count
  }, 600_000)
  return deps.vendor.told()
}

const worst = (rows: Told, sign = '') =>
  Math.max(...Object.entries(rows).flatMap(([path, { p99 }]) => (path.startsWith(sign) ? [p99] : [])))

async function sustained(deps: Bench): Promise<void> {
  const { tagUrl } = await tagTo(
    deps.aglet,
    'sustained',
    [0, 1, 2, 3, 4].map((n) => `${deps.vendor.url}/fast/s${n}`),
  )
  const [rate, seconds] = [Number(flags.rate), Number(flags.seconds)]
  // in its first seconds a server compiles its code
  await loadAt({ url: `${tagUrl}/tag`, perSecond: rate, seconds: warmSeconds, ask: single })
  await arrived(deps, rate * warmSeconds * 5, 'fast/s')
  const before = cpuSeconds(pidOf(deps))
  const begun = performance.now()
  await loadAt({ url: `${tagUrl}/tag`, perSecond: rate, seconds, ask: single })
  const rows = await arrived(deps, rate * seconds * 5, 'fast/s')
  const tookS = (performance.now() - begun) / 1_000
  const deliveries = rate * seconds * 5
  const cpuMs = ((cpuSeconds(pidOf(deps)) - before) * 1_000) / deliveries
  const perSecond = Math.round(deliveries / tookS)
  say(`sustained ${rate} events/s x 5`, {
    perSecond,
    worstP99Ms: worst(rows),
    residentMb: Math.round(residentMb(pidOf(deps))),
    cpuMsPerDelivery: Number(cpuMs.toFixed(3)),
  })
}

async function slow(deps: Bench): Promise<void> {
  const { tagUrl } = await tagTo(deps.aglet, 'slow', [`${deps.vendor.url}/slow/1`])
  const [rate, seconds] = [Number(flags.rate), Number(flags.seconds)]
  const begun = performance.now()
  await loadAt({ url: `${tagUrl}/tag`, perSecond: rate, seconds, ask: single })
  const rows = await arrived(deps, rate * seconds, 'slow/')
  const lagS = (performance.now() - begun) / 1_000 - seconds
  say('a vendor of 200 ms', {
    rate,
    seconds,
    lagS: Number(lagS.toFixed(1)),
    p50Ms: rows['slow/1']?.p50,
    p99Ms: worst(rows),
  })
}

async function isolation(deps: Bench): Promise<void> {
  const healthy = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const [rate, seconds] = [50, Math.max(10, Number(flags.seconds) / 2)]
  let baseline = 0
  for (const bad of ['fast', 'down', 'slow', 'reset', 'limited', 'dead']) {
    const paths = [...healthy.map((n) => `fast/${bad}${n}`), `${bad}/10`]
    const { tagUrl } = await tagTo(
      deps.aglet,
      `isolation ${bad}`,
      paths.map((path) => `${deps.vendor.url}/${path}`),
    )
    await deps.vendor.told()
    await loadAt({ url: `${tagUrl}/tag`, perSecond: rate, seconds, ask: single })
    const rows = await arrived(deps, rate * seconds * 9, `fast/${bad}`)
    const p99Ms = worst(rows, `fast/${bad}`)
    if (bad === 'fast') baseline = p99Ms
    const goalMs = Math.round(Math.max(1.2 * baseline, baseline + 50))
    say(`nine healthy channels, the tenth ${bad}`, { p99Ms, goalMs })
  }
}

const isolationOfTeams = (deps: Bench) =>
  tenants(deps, { perSecond: 50, seconds: Math.max(10, Number(flags.seconds) / 2), limit: Number(flags.limit) }, say)

const parts = { sustained, slow, isolation, 'isolation.teams': isolationOfTeams }
const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
const vendor = await startVendor()
const aglet = await startAglet({
  data,
  port: await freePort(),
  environment: {
    AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    AGLET_TEAM_EVENT_RATE: flags.limit,
    AGLET_TEAM_EVENT_BURST: flags.limit,
  },
})
try {
  for (const [name, run] of Object.entries(parts))
    if (!flags.only || flags.only.split(',').some((word) => name.startsWith(word))) await run({ aglet, vendor })
} finally {
  await stopAglet(aglet)
  await vendor.stop()
  rmSync(data, { recursive: true, force: true })
}
