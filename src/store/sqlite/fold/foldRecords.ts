import type { DatabaseSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import type { WriteUnit } from '#kit/writeBatch.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/plannedEvent.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { beginStatements, settleStatement, stepsOf, upsertStatement } from '../deliveryStatements.ts'
import { holdStatement } from '../heldEvents.ts'
import { issueCountStatement } from '../journalCounts.ts'
import { userStatements } from '../userStore.ts'
import type { CountSums, ReachedState } from './countSums.ts'
import type { JournalRecord } from './journalRecords.ts'

/** Applies records of the log to the rows, in order, inside a transaction. */
export type RecordFold = {
  apply(record: JournalRecord): void
  /** Runs statements. What they return are deliveries that have reached another state. */
  run(unit: WriteUnit): number
  /** Writes what was collected. After it the transaction may end. */
  end(): void
  /** The number of rows since the last end. */
  rows(): number
  /** Forgets what was collected, after a rollback. */
  reset(): void
}

const insertRef = 'INSERT INTO ref (id) VALUES (?) ON CONFLICT (id) DO NOTHING'
const insertEvent = `
  INSERT INTO event (tag, position, idx, name, user, received_at, consent, place, joined) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (tag, position, idx) DO NOTHING`
const insertDelivery = `
  INSERT INTO delivery (id, tag, position, idx, script, provider, status, reason, next_at, attempts, free, lane, queue, spoilt,
    name, at, steps, under_way)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (position, idx, script) DO NOTHING`
const insertPack = 'INSERT INTO bodies (tag, failed, at, sealed) VALUES (?, ?, ?, ?)'
const insertAttempt = `
  INSERT INTO attempt (delivery, number, at, duration_ms, http_status, message, joined, bodies, part)
  SELECT no, ?, ?, ?, ?, ?, ?, ?, ? FROM delivery WHERE id = ? ON CONFLICT (delivery, number) DO NOTHING`

const selectAttempt = `
  SELECT 1 FROM attempt WHERE delivery = (SELECT no FROM delivery WHERE id = ?) AND number = ?`

/** A delivery that was planned in this fold and has no row yet. Most end within the same fold, and are written once. */
type Unwritten = { event: PlannedEvent; delivery: PlannedDelivery }

export function openRecordFold(db: DatabaseSync, counts: CountSums): RecordFold {
  const prepared = preparedStatements(db)
  const refs = new Map<string, number>()
  const unwritten = new Map<string, Unwritten>()
  let rows = 0

  function refOf(id: string): number {
    const known = refs.get(id)
    if (known !== undefined) return known
    prepared(insertRef).run(id)
    const no = Number(prepared('SELECT no FROM ref WHERE id = ?').get(id)!.no)
    refs.set(id, no)
    return no
  }
  function run(unit: WriteUnit): number {
    let changed = 0
    for (const { sql, rows: params } of unit) {
      const statement = prepared(sql)
      const isCounted = sql.includes('RETURNING')
      for (const row of params) {
        if (!isCounted) changed += Number(statement.run(...row).changes)
        else for (const state of statement.all(...row)) changed += countState(state as ReachedState)
      }
    }
    rows += changed
    return changed
  }
  function countState(state: ReachedState): number {
    counts.delivery(state)
    return 1
  }
  function writeDelivery({ event, delivery }: Unwritten, outcome?: DeliveryOutcome & { delivery: DueDelivery }): void {
    const { deliveryId, scriptId, providerId } = delivery
    const { status, reason = null } = outcome ?? delivery
    const at = outcome ? (outcome.at ?? endOf(outcome.attempt) ?? event.receivedAt) : event.receivedAt
    const nextAt = status === 'pending' ? (outcome?.nextAt ?? event.receivedAt) : null
    const counted = outcome ? [outcome.delivery.attempts + 1, outcome.isUncounted ? 1 : 0, 1] : [0, 0, 0]
    const [tag, script] = [refOf(event.tagId), refOf(scriptId)]
    const place = [tag, event.position, event.index, script] as const
    const queue = status === 'pending' ? (event.orderKey ?? null) : null
    const steps = outcome ? stepsOf(outcome) : null
    const mayBeInFlight = status === 'pending' && !outcome ? 1 : 0 // its first attempt begins as soon as it is planned
    const last = [queue, outcome?.isCrash ? 1 : 0, event.eventName, at, steps, mayBeInFlight] as const
    prepared(insertDelivery).run(deliveryId, ...place, providerId, status, reason, nextAt, ...counted, ...last)
    counts.delivery({ tag, script, name: event.eventName, status, reason, at })
    rows++
  }
  function writeUnwritten(): void {
    for (const each of unwritten.values()) writeDelivery(each)
    unwritten.clear()
  }
  function plan(event: PlannedEvent): void {
    const { tagId, position, index, eventName, userId, receivedAt, consent, place, emailMatch = null } = event
    const tag = refOf(tagId)
    const decided = [JSON.stringify(consent), JSON.stringify(place), emailMatch] as const
    const inserted = prepared(insertEvent).run(tag, position, index, eventName, userId, receivedAt, ...decided)
    if (inserted.changes === 0) return // planned before a crash: the first plan is kept
    rows++
    counts.event(tag, eventName, receivedAt)
    for (const { scriptId } of event.deliveries) refOf(scriptId) // deliveries are listed in the order of these numbers
    for (const delivery of event.deliveries)
      if (delivery.status === 'pending') unwritten.set(delivery.deliveryId, { event, delivery })
      else writeDelivery({ event, delivery })
    if (event.held) run([holdStatement([event])])
  }
  function settleOne(outcome: DeliveryOutcome): void {
    const { deliveryId, delivery } = outcome
    const planned = unwritten.get(deliveryId)
    unwritten.delete(deliveryId)
    if (planned && delivery) writeDelivery(planned, { ...outcome, delivery })
    else {
      if (planned) writeDelivery(planned)
      run([delivery ? upsertStatement(outcome, delivery) : settleStatement(outcome)])
    }
  }
  const isRecorded = ({ deliveryId, attempt }: DeliveryOutcome) =>
    attempt !== undefined &&
    !unwritten.has(deliveryId) &&
    prepared(selectAttempt).get(deliveryId, attempt.number) !== undefined
  function addAttempt({ attempt }: DeliveryOutcome, packs: readonly number[]): void {
    if (!attempt) return
    const { deliveryId, number, at, durationMs, httpStatus = null, message = null, joined = null, packed } = attempt
    const pack = packed ? [packs[packed.pack]!, packed.part] : [null, null]
    prepared(insertAttempt).run(number, at, durationMs, httpStatus, message, joined, ...pack, deliveryId)
    rows++
  }
  function settle({ settle, packs }: Extract<JournalRecord, { settle: unknown }>): void {
    const numbers = packs.map(({ tagId, failed, at, sealed }) =>
      Number(prepared(insertPack).run(refOf(tagId), failed ? 1 : 0, at, sealed).lastInsertRowid),
    )
    for (const outcome of settle) {
      if (isRecorded(outcome)) continue // the first outcome of an attempt stands
      settleOne(outcome)
      if (outcome.attempt?.issues) {
        counts.write() // which names are counted by themselves
        run([issueCountStatement([outcome])])
      }
      addAttempt(outcome, numbers)
    }
  }
  return {
    run,
    rows: () => rows + unwritten.size,
    apply(record) {
      if ('plan' in record) for (const event of record.plan) plan(event)
      else if ('settle' in record) settle(record)
      else if ('users' in record) for (const write of record.users) run(userStatements(write))
      else {
        if (record.begin.some(({ deliveryId }) => unwritten.has(deliveryId))) writeUnwritten()
        run(beginStatements(record.begin))
      }
    },
    end() {
      writeUnwritten()
      counts.write()
      rows = 0
    },
    reset() {
      refs.clear()
      unwritten.clear()
      counts.clear()
      rows = 0
    },
  }
}

const endOf = (attempt: AttemptRecord | undefined) => attempt && attempt.at + attempt.durationMs
