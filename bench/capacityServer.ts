import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '#kit/clock.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import type { CapacityCosts } from '../scripts/capacity/costs.ts'
import type { PostgresServer } from '../test/fake/postgresServer.ts'
import { median } from './load.ts'
import { postgresCpuUs } from './postgresCpu.ts'
import { journalCosts, walBytes } from './postgresJournal.ts'

const groups = 100
const eventsOfGroup = 20
const payloadBytes = 1_024
const listeners = 16
const notices = 1_000

/** The server's CPU and log for a single event that is appended in a group, leased and settled. The log without the payload. */
async function takenCost(database: Database, serverUs: () => number) {
  const stream = await openPostgresStream({ database, clock: systemClock })
  const [us, bytes] = [serverUs(), await walBytes(database)]
  for (let group = 0; group < groups; group++)
    await Promise.all(
      Array.from({ length: eventsOfGroup }, (_, n) =>
        stream.append({
          tagId: `tag_${n}`,
          keys: [randomBytes(8).readBigUInt64LE() | 1n],
          payload: new Uint8Array(randomBytes(payloadBytes)),
        }),
      ),
    )
  const events = groups * eventsOfGroup
  const never = new AbortController().signal
  for (let left = events; left > 0; ) {
    const leased = await stream.lease(64, never)
    await stream.settle(leased.map(({ position }) => position))
    left -= leased.reduce((sum, { newIndexes }) => sum + newIndexes.length, 0)
  }
  const used = {
    us: (serverUs() - us) / events,
    walBytes: ((await walBytes(database)) - bytes) / events - payloadBytes,
  }
  await stream.close()
  return used
}

/** The server's CPU for a notice, for each listening connection. */
async function noticeCost(database: Database, serverUs: () => number): Promise<number> {
  let heard = 0
  let connected = 0
  const callbacks = { notified: () => void heard++, connected: () => void connected++ }
  const all = Array.from({ length: listeners }, () => database.listen('bench', callbacks))
  while (connected < listeners) await setTimeout(10)
  const us = serverUs()
  for (let n = 0; n < notices; n++) await database.sql('SELECT pg_notify($1, $2)', [`${database.schema}_bench`, `${n}`])
  while (heard < notices * listeners) await setTimeout(10)
  const used = serverUs() - us
  for (const each of all) await each.close()
  return used / (notices * listeners)
}

/** The cost of an event at the primary in groups, as under load: medians of three runs. */
export async function serverCosts(server: PostgresServer): Promise<{
  primary: Pick<CapacityCosts['primary'], 'takenUs' | 'planUs' | 'deliveryUs' | 'noticeUs'>
  walBytes: CapacityCosts['walBytes']
}> {
  const database = openDatabase({ url: server.url, schema: 'bench', connections: 4 })
  await migrate(database)
  const serverUs = () => postgresCpuUs(server.port)
  await journalCosts(database, serverUs, 10)
  const journals: Awaited<ReturnType<typeof journalCosts>>[] = []
  const taken: Awaited<ReturnType<typeof takenCost>>[] = []
  for (let run = 0; run < 3; run++) journals.push(await journalCosts(database, serverUs, 40))
  for (let run = 0; run < 3; run++) taken.push(await takenCost(database, serverUs))
  const noticeUs = await noticeCost(database, serverUs)
  await database.close()
  return {
    primary: {
      takenUs: median(taken.map(({ us }) => us)),
      planUs: median(journals.map(({ plan }) => plan.us)),
      deliveryUs: median(journals.map(({ delivery }) => delivery.us)),
      noticeUs,
    },
    walBytes: {
      taken: median(taken.map((each) => each.walBytes)),
      plan: median(journals.map(({ plan }) => plan.walBytes)),
      delivery: median(journals.map(({ delivery }) => delivery.walBytes)),
    },
  }
}
