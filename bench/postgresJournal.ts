import { randomBytes } from 'node:crypto'
import { newId } from '#kit/id.ts'
import type { Database } from '#postgres/database.ts'
import { createJournal } from '#store/postgres/journal.ts'
import type { DeliveryOutcome, Journal, PlannedEvent } from '#store/store.ts'

/** The size of a plan and a settlement in the benchmark: as for a busy tag. */
const eventsPerPlan = 64
const channels = 5
const packBytes = 4_096

/** The cost of one kind of work at the server: CPU and write-ahead log, each per unit. */
export type ServerCost = { us: number; walBytes: number }

const consent = { decision: 'granted', sources: [] } as unknown as PlannedEvent['consent']
const scripts = Array.from({ length: channels }, () => newId('scr', Date.now()))

function plannedEvent(tagId: string, position: number): PlannedEvent {
  const now = Date.now()
  return {
    position,
    index: 0,
    tagId,
    eventName: 'Purchase',
    userId: newId('usr', now),
    receivedAt: now,
    consent,
    place: { country: 'DE' } as PlannedEvent['place'],
    deliveries: scripts.map((scriptId) => {
      return { deliveryId: newId('dlv', now), scriptId, providerId: 'eventSink', status: 'pending' }
    }),
  }
}

/** Each delivery succeeds at its first attempt, before it has a row. */
const outcomesOf = (event: PlannedEvent): DeliveryOutcome[] =>
  event.deliveries.map(({ deliveryId, scriptId, providerId }) => {
    const { tagId, position, index, receivedAt } = event
    const place = { deliveryId, tagId, position, index, scriptId, providerId, receivedAt, nextAt: receivedAt }
    return {
      deliveryId,
      delivery: {
        ...place,
        attempts: 0,
        uncountedAttempts: 0,
        priority: 'new',
        planned: { isWritten: true, written: Promise.resolve(true) },
        eventName: event.eventName,
      },
      status: 'delivered',
      attempt: { deliveryId, number: 1, at: receivedAt, durationMs: 20, httpStatus: 200, packed: { pack: 0, part: 0 } },
    }
  })

async function settle(journal: Journal, events: readonly PlannedEvent[]): Promise<void> {
  const pack = { tagId: events[0]!.tagId, failed: false, at: Date.now(), sealed: randomBytes(packBytes) }
  await journal.settle(events.flatMap(outcomesOf), [pack])
}

/** The write-ahead log of the server so far, in bytes. */
export const walBytes = async ({ sql }: Database) => {
  const [row] = await sql<{ bytes: string }>("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text AS bytes")
  return Number(row!.bytes)
}

/**
 * Plans events and settles their deliveries, a fixed amount of work. Returns the cost of a plan of one event, and of the
 * settlement of one delivery, which includes the removal of the lists of pending deliveries.
 */
export async function journalCosts(
  database: Database,
  serverUs: () => number,
  rounds: number,
): Promise<{ plan: ServerCost; delivery: ServerCost }> {
  const journal = createJournal(database)
  const tagId = newId('tag', Date.now())
  const first = Date.now() * 1_000
  const groups = Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: eventsPerPlan }, (_, n) => plannedEvent(tagId, first + round * eventsPerPlan + n)),
  )
  const events = rounds * eventsPerPlan
  const cost = async (units: number, work: () => Promise<void>): Promise<ServerCost> => {
    const [us, bytes] = [serverUs(), await walBytes(database)]
    await work()
    return { us: (serverUs() - us) / units, walBytes: ((await walBytes(database)) - bytes) / units }
  }
  const plan = await cost(events, async () => {
    for (const each of groups) await journal.plan(each)
  })
  const delivery = await cost(events * channels, async () => {
    for (const each of groups) await settle(journal, each)
    await journal.pendingCount()
  })
  return { plan, delivery }
}
