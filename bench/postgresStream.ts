import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#kit/clock.ts'
import type { Database } from '#postgres/database.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import type { Stream, StreamEntry } from '#stream/stream.ts'

const forMs = 4_000
const bytesPerEvent = 1_024
const tags = 50

/** The shapes of an append: its number of records, and the events in each. */
const shapes = [
  { records: 20, events: 1 },
  { records: 50, events: 1 },
  { records: 1, events: 16 },
  { records: 1, events: 50 },
]

const key = () => randomBytes(8).readBigUInt64LE() | 1n
function entriesOf({ records, events }: (typeof shapes)[number]): StreamEntry[] {
  const payload = new Uint8Array(randomBytes(bytesPerEvent * events))
  return Array.from({ length: records }, (_, n) => {
    return { tagId: `tag_${n % tags}`, keys: Array.from({ length: events }, key), payload }
  })
}

type Cost = { eventsPerSecond: number; clientUs: number; serverUs: number }

/** Repeats work that resolves with a number of events. */
async function measure(work: () => Promise<number>, serverUs: () => number, isDone = () => false): Promise<Cost> {
  await work()
  const [startedAt, client, server] = [performance.now(), process.cpuUsage(), serverUs()]
  let events = 0
  while (performance.now() - startedAt < forMs && !isDone()) events += await work()
  const used = process.cpuUsage(client)
  return {
    eventsPerSecond: (events / (performance.now() - startedAt)) * 1_000,
    clientUs: (used.user + used.system) / events,
    serverUs: (serverUs() - server) / events,
  }
}

function appendCost(stream: Stream, shape: (typeof shapes)[number], serverUs: () => number): Promise<Cost> {
  return measure(async () => {
    await Promise.all(entriesOf(shape).map((entry) => stream.append(entry)))
    return shape.records * shape.events
  }, serverUs)
}

/** Leases and settles the records that the appends have left. */
function deliveryCost(stream: Stream, serverUs: () => number, waiting: number): Promise<Cost> {
  const turns = { ownerOf: (tagId: string) => tagId, events: 128 }
  const never = new AbortController().signal
  let left = waiting
  const work = async () => {
    const leased = await stream.lease(64, never, turns)
    left -= leased.length
    await stream.settle(leased.map(({ position }) => position))
    return leased.reduce((sum, { newIndexes }) => sum + newIndexes.length, 0)
  }
  return measure(work, serverUs, () => left < 64)
}

function print(name: string, networked: Cost, embedded: Cost): void {
  const total = (networked.clientUs + networked.serverUs) / (embedded.clientUs + embedded.serverUs)
  const figures = [networked.serverUs, networked.clientUs, embedded.clientUs].map((us) => us.toFixed(1).padStart(8))
  const ratio = (networked.clientUs / embedded.clientUs).toFixed(2)
  const rate = Math.round(networked.eventsPerSecond)
  console.log(
    `${name.padEnd(24)}${figures.join('')}  ${ratio.padStart(6)}${total.toFixed(2).padStart(8)}${`${rate}`.padStart(9)}`,
  )
}

/**
 * Prints the cost of the PostgreSQL stream beside the embedded one, and returns the server's CPU for an event in each shape
 * of append, in µs.
 */
export async function streamCosts(database: Database, serverUs: () => number): Promise<Record<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'aglet-bench-postgres-'))
  const networked = await openPostgresStream({ database, clock: systemClock })
  const embedded = await openLogStream(join(directory, 'stream.db'), systemClock)
  const costs: Record<string, number> = {}
  console.log('µs of CPU an event; ratios beside the embedded stream: the process alone, and with the server')
  console.log(`${''.padEnd(24)}  server process  SQLite process   total events/s`)
  for (const shape of shapes) {
    const name = `${shape.records} x ${shape.events}`
    const cost = await appendCost(networked, shape, serverUs)
    costs[name] = cost.serverUs
    print(`append ${name}`, cost, await appendCost(embedded, shape, () => 0))
  }
  const waiting = Math.min(await networked.waiting(), await embedded.waiting())
  const delivered = await deliveryCost(networked, serverUs, waiting)
  print('lease and settle', delivered, await deliveryCost(embedded, () => 0, waiting))
  await Promise.all([networked.close(), embedded.close()])
  rmSync(directory, { recursive: true })
  return costs
}
