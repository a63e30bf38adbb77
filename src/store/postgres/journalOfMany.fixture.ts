import type { Database } from '#postgres/database.ts'
import { CommitUnknown } from '#postgres/databaseError.ts'
import { dropAllExpired } from '#store/retention.fixture.ts'
import { at, plannedEvent } from '#store/store.fixture.ts'
import type { DeliveryOutcome, PlannedEvent, ReleasedEvent } from '#store/store.ts'
import { createJournal } from './journal.ts'
import { addReplay } from './journalChanges.ts'
import { createReplayStore } from './replayStore.ts'

/** By then everything is due. */
export const later = at + 1_000_000
export const scripts = ['scr_1', 'scr_2', 'scr_3', 'scr_4', 'scr_5']

export const eventOf = (position: number, overrides: Partial<PlannedEvent> = {}, suffix = ''): PlannedEvent =>
  plannedEvent(position, {
    deliveries: scripts.map((scriptId) => {
      return {
        deliveryId: `dlv_${position}_${scriptId}${suffix}`,
        scriptId,
        providerId: 'eventSink',
        status: 'pending',
      }
    }),
    ...overrides,
  })
export const heldEvent = (position: number) => {
  const event = eventOf(position, { held: { waitsFor: 'usr_1', until: later } })
  return {
    ...event,
    deliveries: event.deliveries.map((each) => ({ ...each, status: 'held', reason: 'consent' }) as const),
  }
}
export const released = (position: number, country = 'FR'): ReleasedEvent => {
  const { tagId, index, consent, deliveries } = eventOf(position)
  return { tagId, position, index, consent, place: { country, source: 'payload' }, deliveries }
}
/** The outcome of the first attempt of each delivery of an event. */
export const outcomesOf = (event: PlannedEvent, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome[] =>
  event.deliveries.map(({ deliveryId, scriptId, providerId }, n) => {
    const { tagId, position, index, receivedAt } = event
    const counts = { attempts: 0, uncountedAttempts: 0, nextAt: receivedAt, receivedAt, priority: 'new' } as const
    const attempt = {
      deliveryId,
      number: 1,
      at,
      durationMs: 5,
      issues: [{ path: `data.${n}`, message: 'must be string' }],
    }
    const delivery = {
      deliveryId,
      tagId,
      position,
      index,
      scriptId,
      providerId,
      ...counts,
      planned: { isWritten: true, written: Promise.resolve(true) },
      eventName: event.eventName,
    } as const
    return { deliveryId, delivery, status: 'delivered', attempt, ...more }
  })

export const keepAll = {
  journalMs: 0,
  failuresMs: 0,
  bodiesMs: 0,
  failedBodiesMs: 0,
  keptDeployments: 9,
  hourlyRollupMs: 0,
  dailyRollupMs: 0,
}
export const replay = {
  replayId: 'rep_1',
  tagId: 'tag_1',
  teamId: 'team_1',
  filter: { statuses: ['dead'] },
  by: 'tok_1',
  state: 'queued',
  createdAt: at,
  tally: {},
} as const
export const pause = {
  scriptId: 'scr_1',
  tagId: 'tag_1',
  reason: 'keyRejected',
  since: at,
  until: later,
  times: 2,
  secrets: '{}',
} as const

/** Calls every write of a journal and of a replay, and some reads. */
export async function writeAll(database: Database): Promise<void> {
  const journal = createJournal(database)
  const replays = createReplayStore(database)
  const named = eventOf(1, { eventName: 'a name' })
  const seen = { ...eventOf(2), eventName: '(unreadable)', userId: '(unreadable)' }
  await journal.plan([named, seen, heldEvent(3), eventOf(4)])
  const packs = [{ tagId: 'tag_1', failed: false, at, sealed: new Uint8Array([1]) }]
  const packed = outcomesOf(named).map((each, part) => ({
    ...each,
    attempt: { ...each.attempt!, packed: { pack: 0, part } },
  }))
  await journal.settle(packed, packs)
  await journal.settle(
    outcomesOf(seen, { status: 'pending', reason: 'vendorDown', nextAt: at, isUncounted: true, isCrash: true }),
  )
  await journal.settle([{ deliveryId: 'dlv_4_scr_1', status: 'dead', reason: 'expired', at }])
  await journal.markInFlight(['dlv_4_scr_2', 'dlv_4_scr_3'].map((deliveryId) => ({ deliveryId, untilMs: later })))
  await journal.nameUnreadable([{ ...seen, eventName: 'Purchase', userId: 'usr_3' }])
  await journal.recoverInFlight(at + 5)
  await journal.release([released(3)])
  await journal.pause(pause)
  const scriptId = 'scr_1'
  await journal.replay([{ ...named.deliveries[0]!, tagId: 'tag_1', position: 1, index: 0, scriptId, nextAt: at + 7 }])
  await database.transaction((sql) => addReplay(sql, { add: 'replay', row: replay })).catch(() => {})
  const { rows } = await replays.candidates('tag_1', { statuses: ['dead', 'delivered'] }, undefined, 99)
  await replays.saveProgress('rep_1', {
    state: 'running',
    tally: {},
    requeued: rows.slice(0, 3),
    nextAt: at + 8,
    cursor: 'c',
  })
  await journal.markInFlight([{ deliveryId: rows[0]!.deliveryId, untilMs: later }])
  await replays.revertPending('rep_1')
  await journal.nextDue(-1)
  await journal.due([{ scriptId, limit: 9 }], later)
  await journal.overdue(scriptId, 'new', { dueMs: later, receivedMs: later }, 9)
  await journal.overdueHolds(later, 9)
  await journal.heldEvents('tag_1', 'usr_1')
  await journal.event('tag_1', 1, 0)
  await journal.eventsOf('tag_1', 'usr_1', { limit: 9 })
  await journal.exchangePackRefs([{ tagId: 'tag_1', position: 1, index: 0 }])
  await journal.joins('tag_1', 'usr_1', 9)
  await journal.neededPositions(1, 9)
  await journal.newestEvent('tag_1')
  await journal.pauses()
  await journal.pauses([scriptId])
  await replays.unfinished()
  await replays.list('tag_1', { limit: 9 })
  await replays.pendingByScript('rep_1', 9)
  await replays.statusOf('dlv_1_scr_1')
  await journal.resume('scr_2')
  await dropAllExpired(journal, { ...keepAll, journalMs: at + 1 })
}

/** Every transaction is stored, but the answer of its first commit is lost. */
export function losesAnswers(database: Database): Database {
  let transactions = 0
  return {
    ...database,
    async transaction(work) {
      const result = await database.transaction(work)
      if (transactions++ % 2 === 0) throw new CommitUnknown('the response to a commit was lost')
      return result
    },
  }
}

/** Records the statements and how many parameters they have. */
export function notesStatements(database: Database, texts: Map<string, number>): Database {
  const noted =
    (sql: Database['sql']): Database['sql'] =>
    (text, values = []) => {
      texts.set(text, values.length)
      return sql(text, values)
    }
  return {
    ...database,
    sql: noted(database.sql),
    transaction: (work) => database.transaction((sql) => work(noted(sql))),
  }
}

/** A linear congruential generator of numbers from 0 to 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
