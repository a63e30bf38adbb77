import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { type Aglet, type Customer, makeCustomer, makeScript, sinkAt } from '../../test/fake/aglet.ts'
import { type Measured, startMeasured } from '../aglet.ts'
import { cpuSeconds, loadAt, quantile, single } from '../load.ts'
import { counted, type Part, type Scale } from '../part.ts'
import { interleaved, type Sample } from '../sample.ts'
import { seedJournal } from '../seed.ts'
import { startVendor, using } from '../target.ts'

const perSecond = 200
/** Time between two pages of a reader. */
const pauseMs = 250
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

/** Reads pages one after the other until it is stopped. */
async function readOn({ aglet, made }: Measured<Made>, isStopped: () => boolean): Promise<void> {
  const pool = new Pool(aglet.origin, { connections: 1, pipelining: 1 })
  const headers = { authorization: `Bearer ${made.token}`, 'team-id': made.teamId }
  for (const pages = pagesOf(made.tagId); !isStopped(); )
    for (const path of pages) {
      const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
      await body.dump()
      if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}`)
      await wait(pauseMs)
    }
  await pool.close()
}

/** The latency of answers to events, and the CPU time of the server for each, beside so many readers. */
async function sampleBeside(target: Measured<Made>, count: number, { seconds }: Scale): Promise<Sample> {
  let isStopped = false
  const reading = Promise.all(Array.from({ length: count }, () => readOn(target, () => isStopped)))
  const cpu = cpuSeconds(target.pid)
  const lateMs = await loadAt({ url: target.url, perSecond, seconds, ask: single })
  const spent = cpuSeconds(target.pid) - cpu
  isStopped = true
  await reading
  return { p50Ms: quantile(lateMs, 0.5), p99Ms: quantile(lateMs, 0.99), cpuUs: (spent / lateMs.length) * 1e6 }
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
        const counts = [0, readers]
        const samples = await interleaved([0, ...counts], scale.rounds, (count) => sampleBeside(target!, count, scale))
        for (const [n, figures] of samples.slice(1).entries())
          tell({
            size: `${perSecond} events a second, ${counted(size, 'event')} in the journal`,
            who: counts[n] ? `beside ${counts[n]} readers` : 'alone',
            figures,
          })
      })
    })
  },
}
