import type { Sql } from '#postgres/database.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import { issuePath, outcomeAt, stepsOf } from '#store/sql/deliveryRows.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { arrayRows, columnsOf } from './columns.ts'
import { addIssueCounts } from './journalCounts.ts'

const minuteMs = 60_000

/** In the order of the arrays, so that the packs' numbers follow it. */
const insertPackRows = `
  INSERT INTO bodies (tag, failed, at, sealed)
  SELECT tag, failed, at, sealed FROM unnest($1::text[], $2::boolean[], $3::bigint[], $4::bytea[]) WITH ORDINALITY
    AS pack (tag, failed, at, sealed, no) ORDER BY pack.no
  RETURNING no`
const deletePacks = 'DELETE FROM bodies WHERE no = ANY($1)'

const ended = arrayRows('ended', {
  ...({
    delivery: 'text',
    number: 'int4',
    at: 'int8',
    duration_ms: 'int4',
    http_status: 'int4',
    message: 'text',
  } as const),
  ...({ joined: 'text', bodies: 'int8', part: 'int4' } as const),
})
/** After a CommitUnknown an outcome is written again: an attempt that exists does not change. */
const insertRows = `
  INSERT INTO attempt (${ended.names}) SELECT * FROM ${ended.from} ORDER BY delivery COLLATE "C", number
  ON CONFLICT DO NOTHING RETURNING delivery, number, bodies`

function attemptColumns(attempt: AttemptRecord, packNumbers: readonly number[]) {
  const { deliveryId, number, at, durationMs, httpStatus = null, message, joined, packed } = attempt
  const texts = [message ?? null, joined ?? null]
  const bodies = packed ? [packNumbers[packed.pack] ?? null, packed.part] : [null, null]
  return [deliveryId, number, at, durationMs, httpStatus, ...texts, ...bodies]
}

const selectNames = 'SELECT id, tag, name FROM delivery WHERE id = ANY($1)'

/** Counts the issues of attempts that were inserted now. */
async function countIssues(sql: Sql, attempts: readonly AttemptRecord[]): Promise<void> {
  const withIssues = attempts.filter(({ issues = [] }) => issues.length > 0)
  if (withIssues.length === 0) return
  const rows = await sql(selectNames, [withIssues.map(({ deliveryId }) => deliveryId)])
  const names = new Map(rows.map(({ id, tag, name }) => [id, { tag: String(tag), name: String(name) }]))
  const counts = withIssues.flatMap(({ deliveryId, at, issues = [] }) => {
    const of = names.get(deliveryId)
    if (!of) return []
    const minute = Math.floor(at / minuteMs)
    return issues.map((issue) => ({ ...of, minute, path: issuePath(issue), message: issue.message, count: 1 }))
  })
  await addIssueCounts(sql, counts)
}

const attemptKey = (deliveryId: unknown, number: unknown) => `${deliveryId} ${number}`

type FirstOutcome = DeliveryOutcome & { attempt: AttemptRecord }

/** True if the attempt is stored in the row of the delivery that the same write inserts, as most first attempts are. */
export const isInRow = (outcome: DeliveryOutcome): outcome is FirstOutcome =>
  outcome.delivery !== undefined &&
  outcome.attempt?.number === 1 &&
  outcome.attempt.joined === undefined &&
  (outcome.attempt.issues ?? []).length === 0

/** Returns the numbers of the packs. */
export async function insertPacks(sql: Sql, packs: readonly ExchangePack[]): Promise<number[]> {
  if (packs.length === 0) return []
  const rows = packs.map(({ tagId, failed, at, sealed }) => [tagId, failed, at, sealed])
  const inserted = await sql(insertPackRows, columnsOf(rows, 4))
  return inserted.map(({ no }) => Number(no)).sort((one, other) => one - other)
}

/** Deletes packs that are not referred to, because an earlier write stored the same attempts with packs of its own. */
export async function dropUnusedPacks(
  sql: Sql,
  outcomes: readonly DeliveryOutcome[],
  packNumbers: readonly number[],
  used: ReadonlySet<number>,
): Promise<void> {
  const packed = outcomes.flatMap(({ attempt }) => (attempt?.packed ? [packNumbers[attempt.packed.pack]!] : []))
  const unused = [...new Set(packed)].filter((no) => !used.has(no))
  if (unused.length > 0) await sql(deletePacks, [unused])
}

/**
 * Inserts the attempts that are not stored in the rows of their deliveries, and counts their issues. Returns the packs
 * of the attempts that were inserted now.
 */
export async function insertAttempts(
  sql: Sql,
  outcomes: readonly DeliveryOutcome[],
  packNumbers: readonly number[],
): Promise<number[]> {
  const attempts = outcomes.flatMap((each) => (each.attempt && !isInRow(each) ? [each.attempt] : []))
  if (attempts.length === 0) return []
  const values = attempts.map((each) => attemptColumns(each, packNumbers))
  const rows = await sql(insertRows, ended.params(values))
  const added = new Set(rows.map(({ delivery, number }) => attemptKey(delivery, number)))
  await countIssues(
    sql,
    attempts.filter(({ deliveryId, number }) => added.has(attemptKey(deliveryId, number))),
  )
  return rows.flatMap(({ bodies }) => (bodies === null ? [] : [Number(bodies)]))
}

/**
 * The columns of a delivery that an attempt changes. The last ones are its first attempt, if it is stored in the row.
 */
export const outcomeTypes = {
  ...({ position: 'int8', idx: 'int4', attempts: 'int4', next_at: 'int8', at: 'int8', uncounted: 'int4' } as const),
  ...({ crash_count: 'int4', id: 'text', tag: 'text', script: 'text', provider: 'text', status: 'text' } as const),
  ...({ reason: 'text', queue: 'text', steps: 'text', first_at: 'int8', first_ms: 'int4' } as const),
  ...({ http_status: 'int4', bodies: 'int8', part: 'int4', message: 'text' } as const),
}

const noAttempt = [null, null, null, null, null, null]

function firstAttempt(outcome: DeliveryOutcome, packNumbers: readonly number[]) {
  if (!isInRow(outcome)) return noAttempt
  const { at, durationMs, httpStatus = null, packed, message = null } = outcome.attempt
  const bodies = packed ? [packNumbers[packed.pack] ?? null, packed.part] : [null, null]
  return [at, durationMs, httpStatus, ...bodies, message]
}

export function outcomeValues(outcome: DeliveryOutcome, delivery: DueDelivery, packNumbers: readonly number[]) {
  const { status, reason = null, nextAt, isUncounted, isCrash } = outcome
  const { deliveryId, tagId, position, index, scriptId, providerId, orderKey = null, receivedAt } = delivery
  const times = [status === 'pending' ? (nextAt ?? receivedAt) : null, outcomeAt(outcome) ?? receivedAt]
  const counts = [delivery.uncountedAttempts + (isUncounted ? 1 : 0), isCrash ? (delivery.crashCount ?? 0) + 1 : 0]
  const texts = [deliveryId, tagId, scriptId, providerId, status, reason, orderKey, stepsOf(outcome)]
  const place = [position, index, delivery.attempts + 1]
  return [...place, ...times, ...counts, ...texts, ...firstAttempt(outcome, packNumbers)]
}
