import type { Writer } from '#kit/writer.ts'
import type { Cutoffs, Findings } from '#store/found.ts'
import { coarser } from './coarse.ts'
import type { Read, Row } from './read.ts'
import type { Slice, Spot } from './slice.ts'

/** What is dropped in one commit: whoever writes waits no longer than this takes. */
const eventsAtOnce = 200
const dayMs = 86_400_000
const packsAtOnce = 50
const deploymentsAtOnce = 50

const nextTag = 'SELECT min(tag) AS tag FROM event WHERE tag > ?'
/** `standing`: 2 while a delivery is under way or held, 1 where one has failed. */
const oldest = `
  SELECT tag, position, idx, received_at, (
    SELECT max(CASE WHEN status IN ('pending', 'held') THEN 2 WHEN status IN ('dead', 'refused') THEN 1 ELSE 0 END)
    FROM delivery WHERE delivery.position = event.position AND delivery.idx = event.idx
  ) AS standing
  FROM event WHERE tag = ? AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`

/** One that was taken up again meanwhile stays. */
const isDone = `NOT EXISTS (
    SELECT 1 FROM delivery WHERE delivery.position = ?1 AND delivery.idx = ?2 AND status IN ('pending', 'held'))`
const drops = [
  `DELETE FROM attempt WHERE delivery IN (SELECT no FROM delivery WHERE position = ?1 AND idx = ?2) AND ${isDone}`,
  `DELETE FROM delivery WHERE position = ?1 AND idx = ?2 AND ${isDone}`,
  `DELETE FROM event WHERE position = ?1 AND idx = ?2 AND tag = ?3 AND ${isDone}`,
]

function isOld({ received_at, standing }: Row, { journalMs, failuresMs }: Cutoffs): boolean {
  const receivedAt = Number(received_at)
  return receivedAt < journalMs && (standing !== 1 || receivedAt < failuresMs) && standing !== 2
}

/** Events with their deliveries and attempts, tag by tag, up to the first that is too young to be dropped. */
function dropEvents(read: Read, cutoffs: Cutoffs, spot: Spot): Slice {
  const rows = read.all(oldest, spot.tag, spot.position, spot.idx, eventsAtOnce)
  const old = rows.filter((row) => isOld(row, cutoffs)).map(({ tag, position, idx }) => [position, idx, tag])
  const last = rows.at(-1)
  const isThrough = rows.length < eventsAtOnce || Number(last?.received_at) >= cutoffs.journalMs
  const tag = isThrough ? (read.one(nextTag, spot.tag)?.tag ?? undefined) : spot.tag
  const next = isThrough ? { position: -1, idx: -1 } : { position: Number(last!.position), idx: Number(last!.idx) }
  return {
    unit: drops.map((sql, at) => ({ sql, rows: old.map((each) => each.slice(0, at === 2 ? 3 : 2)) as number[][] })),
    dropped: old.length,
    next: tag === undefined ? undefined : { ...spot, tag: Number(tag), ...next },
  }
}

const dropPacks = 'DELETE FROM bodies WHERE no IN (SELECT value FROM json_each(?))'
const oldPacks = 'SELECT no FROM bodies WHERE failed = ? AND at < ? LIMIT ?'

function dropBodies(read: Read, { bodiesMs, failedBodiesMs }: Cutoffs, spot: Spot): Slice {
  const old = [
    ...read.all(oldPacks, 0, bodiesMs, packsAtOnce),
    ...read.all(oldPacks, 1, failedBodiesMs, packsAtOnce),
  ].map(({ no }) => Number(no))
  const unit = old.length > 0 ? [{ sql: dropPacks, rows: [[JSON.stringify(old)]] }] : []
  return { unit, dropped: old.length, next: old.length > 0 ? spot : undefined }
}

const nextDeployed = 'SELECT min(tag) AS tag FROM deployment WHERE tag > ?'
const oldDeployments = `
  SELECT no FROM deployment WHERE tag = ?1 AND number <= (SELECT max(number) FROM deployment WHERE tag = ?1) - ?2
    AND created_at < ?3 ORDER BY number LIMIT ?4`
const dropDeployments = 'DELETE FROM deployment WHERE no IN (SELECT value FROM json_each(?))'

/** Deployments that are neither new nor among the newest of their tag. */
function dropOldDeployments(read: Read, { journalMs, deployments }: Cutoffs, spot: Spot): Slice {
  const old = read.all(oldDeployments, spot.tag, deployments, journalMs, deploymentsAtOnce).map(({ no }) => Number(no))
  const isThrough = old.length < deploymentsAtOnce
  const tag = isThrough ? (read.one(nextDeployed, spot.tag)?.tag ?? undefined) : spot.tag
  return {
    unit: old.length > 0 ? [{ sql: dropDeployments, rows: [[JSON.stringify(old)]] }] : [],
    dropped: old.length,
    next: tag === undefined ? undefined : { ...spot, tag: String(tag) },
  }
}

const oldNames = 'SELECT day, tag FROM counted_day WHERE day < ? LIMIT 1'
const dropNames = ['counted_name', 'counted_day'].map((table) => `DELETE FROM ${table} WHERE day = ? AND tag = ?`)

/** The names that were counted by themselves on days of which nothing is counted any more. */
function dropCountedNames(read: Read, { hoursMs }: Cutoffs, spot: Spot): Slice {
  const old = read.one(oldNames, Math.floor(hoursMs / dayMs))
  if (!old) return { unit: [], dropped: 0, next: undefined }
  return {
    unit: dropNames.map((sql) => ({ sql, rows: [[Number(old.day), Number(old.tag)]] })),
    dropped: 0,
    next: spot,
  }
}

/** In this order, each from the beginning. */
const steps: readonly { from: Omit<Spot, 'step'>; look(read: Read, cutoffs: Cutoffs, spot: Spot): Slice }[] = [
  { from: { tag: 0, position: -1, idx: -1 }, look: dropEvents },
  { from: { tag: 0, position: -1, idx: -1 }, look: dropBodies },
  { from: { tag: '', position: -1, idx: -1 }, look: dropOldDeployments },
  { from: { tag: 0, position: -1, idx: -1 }, look: dropCountedNames },
  ...coarser.map((look) => ({ from: { tag: 0, position: -1, idx: -1 }, look })),
]

const begin = (step: number): Spot | undefined => steps[step] && { step, ...steps[step].from }

export const expiring =
  (read: Read, writer: Writer): Findings['expire'] =>
  async (cutoffs, after) => {
    const spot = after === undefined ? begin(0)! : (JSON.parse(after) as Spot)
    const { unit, dropped, next } = steps[spot.step]!.look(read, cutoffs, spot)
    if (unit.length > 0) await writer.write(unit)
    const following = next ?? begin(spot.step + 1)
    return { dropped, ...(following && { next: JSON.stringify(following) }) }
  }
