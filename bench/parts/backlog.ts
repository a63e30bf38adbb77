import { type Customer, call, startAglet, stopAglet, until } from '../../test/fake/aglet.ts'
import { type Measured, noEventLimits, startMeasured, tagWith } from '../aglet.ts'
import { cpuSeconds, fifty, load, residentMb, times } from '../load.ts'
import { type Part, upTo } from '../part.ts'
import { interleaved, type Sample, withGrowth } from '../sample.ts'
import { seedPlans } from '../seed.ts'
import { startVendor, using, type Vendor } from '../target.ts'

const perBody = 50
/** Work in flight when a channel is paused ends within this time. */
const calmMs = 500

type Backlog = Customer & { scriptId: string; port: number }

/** Accepts this many events while no worker is running to plan them. */
async function fill(data: string, { port, tagUrl }: Backlog, events: number): Promise<void> {
  const edge = await startAglet({ data, port, flags: ['--role', 'edge'], environment: noEventLimits })
  const some = { url: `${tagUrl}/tag`, connections: 16, ask: fifty, while: times(events / perBody) }
  await load(some).finally(() => stopAglet(edge))
}

/** Accepted and planned events for a channel that is paused. */
function startWith(waiting: number, vendor: Vendor): Promise<Measured<Backlog>> {
  return startMeasured({
    who: 'Aglet',
    async make(aglet) {
      const customer = await tagWith(aglet, 'bench', 1, vendor.url)
      const { body } = await call<{ scripts: [{ scriptId: string }] }>(
        customer,
        'GET',
        `/script?tagId=${customer.tagId}`,
      )
      const made = { ...customer, scriptId: body.scripts[0].scriptId, port: aglet.port }
      await turn(made, 'pause')
      return made
    },
    async seed(data, made) {
      await fill(data, made, waiting)
      await seedPlans(data, made)
    },
  })
}

async function turn(of: Backlog, to: 'pause' | 'resume'): Promise<void> {
  const { status } = await call(of, 'POST', `/script/${of.scriptId}/${to}`, {})
  if (status !== 200) throw new Error(`${to} answered ${status}`)
}

/** Resolves when nothing has arrived at the vendor for a while; returns the count so far. */
async function calm(vendor: Vendor): Promise<number> {
  let [count, since] = [await vendor.count(), performance.now()]
  await until(async () => {
    const now = await vendor.count()
    if (now !== count) [count, since] = [now, performance.now()]
    return performance.now() - since >= calmMs
  })
  return count
}

/** Resumes the channel until this many more deliveries are made, and those in flight by then. */
async function drain({ made, pid }: Measured<Backlog>, vendor: Vendor, deliveries: number): Promise<Sample> {
  const before = await vendor.count()
  const cpu = cpuSeconds(pid)
  await turn(made, 'resume')
  // Resuming a channel takes effect within a second, which is not part of the speed.
  await until(async () => (await vendor.count()) > before, 60_000)
  const begun = performance.now()
  await until(async () => (await vendor.count()) >= before + deliveries, 300_000)
  const perSecond = ((await vendor.count()) - before) / ((performance.now() - begun) / 1_000)
  await turn(made, 'pause')
  const came = (await calm(vendor)) - before
  return { perSecond, cpuUs: ((cpuSeconds(pid) - cpu) / came) * 1e6, residentMb: residentMb(pid) }
}

export const backlog: Part = {
  name: 'backlog',
  says: 'What a delivery costs that has waited, by how many wait in its channel; intake and planning are over.',
  async run(scale, tell) {
    const sizes = upTo(scale.largest, [10_000, 100_000, 1_000_000])
    await using([startVendor()], async ([vendor]) => {
      const started: Measured<Backlog>[] = []
      try {
        for (const size of sizes) started.push(await startWith(size, vendor!))
        // The smallest backlog must not run out before the last round.
        const deliveries = Math.floor(sizes[0]! / (2 * scale.rounds))
        const samples = await interleaved(started, scale.rounds, (target) => drain(target, vendor!, deliveries))
        for (const [n, sample] of withGrowth(samples).entries()) {
          const figures = { ...sample, startMs: started[n]!.startMs }
          tell({ size: `${sizes[n]!.toLocaleString('en')} waiting`, who: 'Aglet', keeps: 'disk', figures })
        }
      } finally {
        for (const target of started) await target.stop()
      }
    })
  },
}
