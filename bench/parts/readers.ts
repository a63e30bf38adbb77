import { setTimeout as wait } from 'node:timers/promises'
import { type Aglet, type Customer, makeCustomer, makeScript, sinkAt } from '../../test/fake/aglet.ts'
import { type Measured, startMeasured } from '../aglet.ts'
import { cpuSeconds, loadAt, quantile, single } from '../load.ts'
import { counted, type Part, type Scale } from '../part.ts'
import { interleaved, latencySeconds, type Sample, sampleDelivery, warmEvents } from '../sample.ts'
import { seedJournal } from '../seed.ts'
import { ended, startLoad, startVendor, using, type Vendor } from '../target.ts'

const perSecond = 200
/** Time between two pages of a reader. */
const pauseMs = 250
const warmReadMs = 5_000
/** Time for the readers' process to start. */
const readersStartMs = 1_000
const readers = 4

type Made = Customer & { scriptIds: readonly string[] }

async function makeTag(aglet: Aglet, vendor: string): Promise<Made> {
  const customer = await makeCustomer(aglet, 'bench')
  return { ...customer, scriptIds: [await makeScript(customer, 'eventSink', 'bench', sinkAt(`${vendor}/fast/0`))] }
}

/** What a person with the dashboard open looks at, page after page. */
const pagesOf = (tagId: string): readonly string[] => {
  const tag = `/v1/tag/${tagId}`
  const dayAgo = Date.now() - 86_400_000
  return [
    `${tag}/event`,
    `${tag}/funnel?from=${dayAgo}`,
    `${tag}/delivery?status=dead,refused`,
    `${tag}/stats?from=${dayAgo}&step=hour&series=script`,
    `${tag}/event/seeded-0`,
    `${tag}/channel`,
  ]
}

/** Reads the pages in turn, while `work` runs. */
async function besideReaders<Result>(
  { aglet, made }: Measured<Made>,
  { count, pauseMs }: { count: number; pauseMs: number },
  work: () => Promise<Result>,
): Promise<Result> {
  if (count === 0) return work()
  const words = [aglet.origin, made.token, made.teamId, count, pauseMs, ...pagesOf(made.tagId)]
  const reading = startLoad('reader.ts', words)
  try {
    const result = await work()
    if (reading.exitCode !== null) throw new Error(`the readers ended with ${reading.exitCode}`)
    return result
  } finally {
    await ended(reading)
  }
}

/** Events and pages until V8 has compiled their code. */
async function warmUp(target: Measured<Made>, vendor: Vendor): Promise<void> {
  await sampleDelivery(target, { vendor, events: warmEvents(1), channels: 1, ask: single })
  await besideReaders(target, { count: 1, pauseMs: 0 }, () => wait(warmReadMs))
}

/** The latency of answers to events, and the CPU time of the server for each, beside so many readers. */
function sampleBeside(target: Measured<Made>, count: number, scale: Scale): Promise<Sample> {
  return besideReaders(target, { count, pauseMs }, async () => {
    if (count > 0) await wait(readersStartMs)
    const cpu = cpuSeconds(target.pid)
    const lateMs = await loadAt({ url: target.url, perSecond, seconds: latencySeconds(scale), ask: single })
    const spent = cpuSeconds(target.pid) - cpu
    return { p50Ms: quantile(lateMs, 0.5), p99Ms: quantile(lateMs, 0.99), cpuUs: (spent / lateMs.length) * 1e6 }
  })
}

export const readersPart: Part = {
  name: 'readers',
  says: 'Answers to events with one channel, alone and beside people who read the dashboard, turn by turn.',
  async run(scale, tell) {
    const size = Math.min(scale.largest, 1_000_000)
    await using([startVendor()], async ([vendor]) => {
      const starting = startMeasured({
        make: (aglet) => makeTag(aglet, vendor!.url),
        seed: (data, { tagId, scriptIds }) => seedJournal(data, { tagId, scriptIds }, size),
      })
      await using([starting], async ([target]) => {
        await warmUp(target!, vendor!)
        const counts = [0, readers]
        const samples = await interleaved(counts, scale.rounds, (count) => sampleBeside(target!, count, scale))
        for (const [n, figures] of samples.entries())
          tell({
            size: `${perSecond} events a second, ${counted(size, 'event')} in the journal`,
            who: counts[n] ? `beside ${counts[n]} readers` : 'alone',
            figures,
          })
      })
    })
  },
}
