import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startAgletProcesses } from '../scripts/cluster/agletProcesses.ts'
import { openClusterFolder } from '../scripts/cluster/clusterFolder.ts'
import { freePort, startAglet, stopAglet, until } from '../test/fake/aglet.ts'
import { noEventLimits, tagWith } from './aglet.ts'
import { loadAt, median, single } from './load.ts'
import { postgresCpuUs, processesCpuUs } from './postgresCpu.ts'
import { startVendor, type Vendor } from './target.ts'

const channels = 5
const seconds = 10
/** The code of a process is not fully compiled after minutes: eight processes have an eighth of the calls of one. */
const warmUp = { perSecond: 150, rounds: 3 }
const settleMs = 1_000
const idleMs = 5_000
const environmentOfBench = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000', ...noEventLimits }

/** Aglet processes on one database. `port` is the port of its server. */
type Database = { environment: Record<string, string>; port: number }
type Fleet = { tagUrls: string[]; pids: number[]; port: number; stop(): Promise<void> }

/** CPU of an event, in µs: in total, of Aglet only, and in total without idle use. `idleUs` is per second. */
export type FleetCost = { eventUs: number; aglet: number; busyUs: number; idleUs: number }

async function startOne({ environment, port }: Database, vendor: string): Promise<Fleet> {
  const data = mkdtempSync(join(tmpdir(), 'aglet-bench-'))
  const settings = { ...environmentOfBench, ...environment }
  const aglet = await startAglet({ data, port: await freePort(), environment: settings })
  const { tagUrl } = await tagWith(aglet, 'bench', channels, vendor)
  const stop = async () => {
    await stopAglet(aglet)
    rmSync(data, { recursive: true, force: true })
  }
  return { tagUrls: [`${tagUrl}/tag`], pids: [aglet.process.pid!], port, stop }
}

async function startEight({ environment, port }: Database, vendor: string): Promise<Fleet> {
  const { AGLET_DATABASE_URL: url, ...settings } = environment
  const folder = openClusterFolder()
  const aglet = await startAgletProcesses({
    folder,
    databaseUrl: () => url!,
    counts: { control: 2, edge: 3, worker: 3 },
    environment: { ...environmentOfBench, ...settings },
  })
  const { tagUrl } = await tagWith(aglet.of('control')[0]!, 'bench', channels, vendor)
  const { pathname } = new URL(tagUrl)
  const tagUrls = aglet.edgeOrigins.map((origin) => `${origin}${pathname}/tag`)
  return { tagUrls, pids: aglet.all.map((each) => each.pid()), port, stop: folder.remove }
}

const cpuOf = ({ pids, port }: Fleet) => ({ aglet: processesCpuUs(pids), server: postgresCpuUs(port) })

/** The CPU cost of some work, in µs. */
async function spent(fleet: Fleet, work: () => Promise<unknown>) {
  const before = cpuOf(fleet)
  const begun = performance.now()
  await work()
  const after = cpuOf(fleet)
  const aglet = after.aglet - before.aglet
  return { aglet, all: aglet + after.server - before.server, tookMs: performance.now() - begun }
}

/** The cost of an event at a constant rate, until the last is delivered and its outcome is written. */
async function sample(fleet: Fleet, vendor: Vendor, perSecond: number): Promise<FleetCost> {
  const idle = await spent(fleet, () => setTimeout(idleMs))
  const idlePerMs = idle.all / idle.tookMs
  const events = perSecond * seconds
  const rate = perSecond / fleet.tagUrls.length
  const busy = await spent(fleet, async () => {
    const before = await vendor.count()
    await Promise.all(fleet.tagUrls.map((url) => loadAt({ url, perSecond: rate, seconds, ask: single })))
    await until(async () => (await vendor.count()) >= before + events * channels, 120_000)
    await setTimeout(settleMs)
  })
  await vendor.told() // reset, otherwise it would grow with every sample
  const busyUs = (busy.all - idlePerMs * busy.tookMs) / events
  return { eventUs: busy.all / events, aglet: busy.aglet / events, busyUs, idleUs: idlePerMs * 1_000 }
}

const mediansOf = (costs: readonly FleetCost[]): FleetCost => ({
  eventUs: median(costs.map(({ eventUs }) => eventUs)),
  aglet: median(costs.map(({ aglet }) => aglet)),
  busyUs: median(costs.map(({ busyUs }) => busyUs)),
  idleUs: median(costs.map(({ idleUs }) => idleUs)),
})

/**
 * An event to five channels with one process for all roles, and with eight: two of control, three edges, three workers. Each
 * on its own database, in turns, at the same rate.
 */
export async function fleetCost(
  [one, eight]: readonly [Database, Database],
  { rounds, perSecond }: { rounds: number; perSecond: number },
): Promise<FleetCost[]> {
  const vendor = await startVendor()
  const fleets: Fleet[] = []
  try {
    fleets.push(await startOne(one, vendor.url))
    fleets.push(await startEight(eight, vendor.url))
    for (let round = 0; round < warmUp.rounds; round++)
      for (const fleet of fleets) await sample(fleet, vendor, warmUp.perSecond)
    const costs = fleets.map((): FleetCost[] => [])
    for (let round = 0; round < rounds; round++)
      for (const [n, fleet] of fleets.entries()) costs[n]!.push(await sample(fleet, vendor, perSecond))
    return costs.map(mediansOf)
  } finally {
    for (const fleet of fleets) await fleet.stop()
    await vendor.stop()
  }
}
