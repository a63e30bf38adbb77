import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import type { WriteUnit } from '#kit/writeBatch.ts'
import type { PlannedDelivery, PlannedEvent } from '#store/plannedEvent.ts'
import { stepsOf } from '#store/sql/deliveryRows.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { beginStatements, issueCountStatement, settleStatement, upsertStatement } from '../deliveryStatements.ts'
import { userStatements } from '../emailUsers.ts'
import { holdStatement } from '../heldEvents.ts'
import { addPurchases } from '../orderStatements.ts'
import { addRefs, isDelivery, keyParams } from '../refs.ts'
import type { CountSums, ReachedState } from './countSums.ts'
import type { JournalRecord } from './journalRecords.ts'

const insertEvent = `
  INSERT INTO event (tag, position, idx, name, user, received_at, consent, place, joined, order_hash, bucket)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, unhex(?), ?)
  ON CONFLICT (tag, position, idx) DO NOTHING`
const insertDelivery = `
  INSERT INTO delivery (tag, position, idx, script, provider, status, reason, next_at, attempts, uncounted, priority,
    queue, crash_count,
    at, steps, under_way, first_at, first_ms, http_status, bodies, part)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (position, idx, script) DO NOTHING`
const insertPack = 'INSERT INTO bodies (tag, failed, at, sealed) VALUES (?, ?, ?, ?)'
const insertAttempt = `
  INSERT INTO attempt (position, idx, script, number, at, duration_ms, http_status, message, joined, bodies, part)
  SELECT position, idx, script, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM delivery WHERE ${isDelivery(['?1', '?2', '?3'])}
  ON CONFLICT (position, idx, script, number) DO NOTHING`
const selectLastBucket = `
  SELECT bucket AS no, count(*) AS events FROM event INDEXED BY event_user WHERE bucket = (SELECT max(bucket) FROM event)`
const selectDelivery = `SELECT 1 FROM delivery WHERE ${isDelivery()}`
const selectAttempt = `SELECT 1 FROM every_attempt WHERE ${isDelivery()} AND number = ?`

/**
 * Events per bucket. A commit may write all index pages of the last bucket, and a look-up by user or order searches every
 * bucket.
 */
const bucketEvents = 16_384

/**
 * A delivery that was planned in this fold and has no row yet. Most deliveries end within the same fold, and are
 * written once.
 */
type Unwritten = { event: PlannedEvent; delivery: PlannedDelivery }

/** Applies records of the log to the rows, in order, inside a transaction. */
export class RecordFold {
  readonly #prepared: (sql: string) => StatementSync
  readonly #counts: CountSums
  readonly #refs = new Map<string, number>()
  readonly #unwritten = new Map<string, Unwritten>()
  #rows = 0
  /** The last bucket, once it is read. */
  #bucket: { no: number; events: number } | undefined

  constructor(db: DatabaseSync, counts: CountSums) {
    this.#prepared = preparedStatements(db)
    this.#counts = counts
  }
  /** The number of rows since the last `end`. */
  rows(): number {
    return this.#rows + this.#unwritten.size
  }
  apply(record: JournalRecord): void {
    if ('plan' in record) for (const event of record.plan) this.#plan(event)
    else if ('settle' in record) this.#settle(record)
    else if ('users' in record) for (const write of record.users) this.#run(userStatements(write))
    else {
      if (record.begin.some(({ deliveryId }) => this.#unwritten.has(deliveryId))) this.#writeUnwritten()
      this.#run(beginStatements(record.begin))
    }
  }
  /** Runs statements that return the deliveries that reached another state. */
  run(unit: WriteUnit): number {
    this.#counts.writeRows()
    return this.#run(unit)
  }
  #run(unit: WriteUnit): number {
    let changed = 0
    for (const { sql, rows } of unit) {
      const statement = this.#prepared(sql)
      const isCounted = sql.includes('RETURNING')
      for (const row of rows) {
        const states = isCounted ? (statement.all(...row) as ReachedState[]) : []
        for (const state of states) this.#count(state)
        changed += isCounted ? states.length : Number(statement.run(...row).changes)
      }
    }
    this.#rows += changed
    return changed
  }
  #count(state: ReachedState): void {
    this.#counts.delivery(state)
    const { tag, position, script, status, reason } = state
    if (position !== undefined) this.#counts.row(tag, position, script, status, reason)
  }
  /** Writes the collected rows and counts. Call it before the transaction ends. */
  end(): void {
    this.#writeUnwritten()
    this.#counts.write()
    this.#rows = 0
  }
  /** Discards the collected rows and counts, after a rollback. */
  reset(): void {
    this.#refs.clear()
    this.#unwritten.clear()
    this.#counts.clear()
    this.#rows = 0
    this.#bucket = undefined
  }
  /** The bucket of the next event. */
  #openBucket(): { no: number; events: number } {
    this.#bucket ??= this.#lastBucket()
    if (this.#bucket.events >= bucketEvents) this.#bucket = { no: this.#bucket.no + 1, events: 0 }
    return this.#bucket
  }
  #lastBucket(): { no: number; events: number } {
    const { no, events } = this.#prepared(selectLastBucket).get()!
    return { no: Number(no), events: Number(events) }
  }
  #refOf(id: string): number {
    const known = this.#refs.get(id)
    if (known !== undefined) return known
    this.#run([addRefs([id])])
    const no = Number(this.#prepared('SELECT no FROM ref WHERE id = ?').get(id)!.no)
    this.#refs.set(id, no)
    return no
  }
  #plan(event: PlannedEvent): void {
    const { tagId, position, index, eventName, userId, receivedAt, consent, place } = event
    const { emailMatch = null, orderHash = null } = event
    const tag = this.#refOf(tagId)
    const decided = [JSON.stringify(consent), JSON.stringify(place), emailMatch, orderHash] as const
    const insert = this.#prepared(insertEvent)
    const bucket = this.#openBucket()
    const { changes } = insert.run(tag, position, index, eventName, userId, receivedAt, ...decided, bucket.no)
    if (changes === 0) return // planned before a crash: keep the first plan
    bucket.events++
    this.#rows++
    this.#counts.event(tag, eventName, receivedAt)
    this.#counts.row(tag, position)
    for (const { scriptId } of event.deliveries) this.#refOf(scriptId) // lists of deliveries need these numbers
    for (const delivery of event.deliveries)
      if (delivery.status === 'pending') this.#unwritten.set(delivery.deliveryId, { event, delivery })
      else this.#write({ event, delivery })
    if (event.held) this.#run([holdStatement([event])])
    if (event.purchase) this.#run(addPurchases([event]))
  }
  #writeUnwritten(): void {
    for (const each of this.#unwritten.values()) this.#write(each)
    this.#unwritten.clear()
  }
  /** Writes the row of a delivery, with its attempt. Returns false if the row existed. */
  #write({ event, delivery }: Unwritten, outcome?: AttemptedOutcome, attempt: AttemptColumns = noAttempt): boolean {
    const { scriptId, providerId } = delivery
    const { status, reason = null } = outcome ?? delivery
    const at = outcome ? (outcome.at ?? endOf(outcome.attempt) ?? event.receivedAt) : event.receivedAt
    const isPending = status === 'pending'
    const nextAt = isPending ? (outcome?.nextAt ?? event.receivedAt) : null
    const attempts = outcome ? [outcome.delivery.attempts + 1, outcome.isUncounted ? 1 : 0, 1] : [0, 0, 0]
    const [tag, script] = [this.#refOf(event.tagId), this.#refOf(scriptId)]
    const place = [tag, event.position, event.index, script] as const
    const queue = isPending ? (event.orderKey ?? null) : null
    const steps = outcome ? stepsOf(outcome) : null
    const mayBeInFlight = isPending && !outcome ? 1 : 0 // its first attempt begins as soon as it is planned
    const last = [queue, outcome?.isCrash ? 1 : 0, at, steps, mayBeInFlight, ...attempt] as const
    const insert = this.#prepared(insertDelivery)
    const written = insert.run(...place, this.#refOf(providerId), status, reason, nextAt, ...attempts, ...last)
    const isNew = Number(written.changes) > 0
    const row = isNew ? { position: event.position } : {}
    this.#count({ tag, script, name: event.eventName, status, reason, at, ...row })
    this.#rows++
    return isNew
  }
  #settle({ settle, packs }: Extract<JournalRecord, { settle: unknown }>): void {
    const numbers = packs.map(({ tagId, failed, at, sealed }) =>
      Number(this.#prepared(insertPack).run(this.#refOf(tagId), failed ? 1 : 0, at, sealed).lastInsertRowid),
    )
    for (const outcome of settle) {
      if (this.#isRecorded(outcome)) continue // keep the first outcome of an attempt
      const columns = attemptColumns(outcome.attempt, numbers)
      const { attempt } = outcome
      // Issues are counted only for an attempt that has no row yet.
      const isWhole = attempt?.number === 1 && !attempt.message && !attempt.joined && !attempt.issues
      const hasAttempt = this.#settleOne(outcome, isWhole ? columns : undefined)
      if (!attempt || hasAttempt) continue
      if (attempt.issues) {
        this.#counts.write() // the statement reads which names are counted separately
        this.run([issueCountStatement([outcome])])
      }
      this.#addAttempt(attempt, columns)
    }
  }
  #isRecorded({ deliveryId, attempt }: DeliveryOutcome): boolean {
    if (!attempt || this.#unwritten.has(deliveryId)) return false
    return this.#prepared(selectAttempt).get(...keyParams(deliveryId), attempt.number) !== undefined
  }
  /** Returns true if the attempt is stored in the row of the delivery. */
  #settleOne(outcome: DeliveryOutcome, attempt: AttemptColumns | undefined): boolean {
    const { deliveryId, delivery } = outcome
    const planned = this.#unwritten.get(deliveryId)
    this.#unwritten.delete(deliveryId)
    const isNew = planned !== undefined && this.#write(planned, delivery && { ...outcome, delivery }, attempt)
    if (!delivery) this.run([settleStatement(outcome)])
    else if (!planned) this.#upsert(outcome, delivery, attempt)
    return attempt !== undefined && (planned ? isNew : delivery !== undefined)
  }
  #upsert(outcome: DeliveryOutcome, delivery: DueDelivery, attempt: AttemptColumns = noAttempt): void {
    const isNew = this.#prepared(selectDelivery).get(...keyParams(outcome.deliveryId)) === undefined
    this.#run([addRefs([delivery.scriptId, delivery.providerId])])
    if (this.run([upsertStatement(outcome, delivery, attempt)]) === 0 || !isNew) return
    const [tag, script] = [this.#refOf(delivery.tagId), this.#refOf(delivery.scriptId)]
    this.#counts.row(tag, delivery.position, script, outcome.status, outcome.reason)
  }
  #addAttempt(attempt: AttemptRecord, columns: AttemptColumns): void {
    const { deliveryId, number, message = null, joined = null } = attempt
    const [at, durationMs, httpStatus, ...pack] = columns
    const result = [at, durationMs, httpStatus, message, joined, ...pack] as const
    this.#prepared(insertAttempt).run(...keyParams(deliveryId), number, ...result)
    this.#rows++
  }
}

type AttemptedOutcome = DeliveryOutcome & { delivery: DueDelivery }
/** The start, duration and HTTP status of an attempt, and the number and part of its pack. */
type AttemptColumns = readonly [
  at: number | null,
  durationMs: number | null,
  httpStatus: number | null,
  bodies: number | null,
  part: number | null,
]
const noAttempt: AttemptColumns = [null, null, null, null, null]

function attemptColumns(attempt: AttemptRecord | undefined, packs: readonly number[]): AttemptColumns {
  if (!attempt) return noAttempt
  const { at, durationMs, httpStatus = null, packed } = attempt
  return [at, durationMs, httpStatus, packed ? packs[packed.pack]! : null, packed ? packed.part : null]
}

const endOf = (attempt: AttemptRecord | undefined) => attempt && attempt.at + attempt.durationMs
