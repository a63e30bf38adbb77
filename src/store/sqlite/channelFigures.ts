import { isErrorState, smallestOf } from '#store/channelErrors.ts'
import type { ChannelFigures } from '#store/journalQueries.ts'
import { readLastError } from '#store/sql/deliveryRows.ts'
import { lastAttempt, rowPosition } from './deliverySearch.ts'
import { selectId } from './refs.ts'
import type { SqlReader, SqlRow } from './sqlReader.ts'
import { scanStatuses } from './statusScan.ts'

/** The index `delivery_stands` has the rows of one script, status and reason, in order of arrival. */
const ofKey = 'FROM delivery WHERE tag = ? AND script = ? AND status = ? AND reason IS ?'
const countOfKey = `SELECT count(*) AS count ${ofKey}`
const firstOfKey = `SELECT position, idx ${ofKey} ORDER BY position, idx LIMIT 1`
const lastOfKey = `SELECT position, idx, script, status, reason, at ${ofKey} ORDER BY position DESC, idx DESC LIMIT 1`
const selectIdOf = `
  SELECT ${selectId} AS id FROM delivery JOIN event USING (tag, position, idx)
    JOIN ref AS script ON script.no = delivery.script
  WHERE delivery.position = ? AND delivery.idx = ? AND delivery.script = ?`
const selectReceivedAt = 'SELECT received_at FROM event WHERE tag = ? AND position = ? AND idx = ?'
const selectNextAt = `SELECT min(next_at) AS next_at FROM delivery WHERE script = ? AND priority = ?
  AND status = 'pending'`
/** First attempts, retries, replays. */
const priorityNumbers = [0, 1, 2]

type StatusKey = ReturnType<typeof scanStatuses>[number]

const readError = (read: SqlReader, row: SqlRow) =>
  readLastError({ ...row, id: read.one(selectIdOf, ...rowPosition(row))?.id }, lastAttempt(read, row))

function readFigures(read: SqlReader, tag: number, scriptId: string): ChannelFigures {
  const script = Number(read.one('SELECT no FROM ref WHERE id = ?', scriptId)?.no ?? 0)
  const statuses = ['pending', 'held', 'refused', 'dead', 'delivered'] as const
  const keys = scanStatuses(read, tag, { scriptId, statuses })
  const ofStatus = (wanted: string) => keys.filter(([, status]) => status === wanted)
  const count = (wanted: string) =>
    ofStatus(wanted).reduce((sum, key) => sum + Number(read.one(countOfKey, tag, ...key)?.count), 0)
  const last = (some: readonly StatusKey[]): SqlRow | undefined =>
    some
      .map((key) => read.one(lastOfKey, tag, ...key))
      .filter((row) => row !== undefined)
      .sort((one, other) => Number(other.at) - Number(one.at))[0]
  const receivedAts = ofStatus('pending').map((key) => {
    const first = read.one(firstOfKey, tag, ...key)
    const event = first && read.one(selectReceivedAt, tag, Number(first.position), Number(first.idx))
    return event && Number(event.received_at)
  })
  const oldestAt = smallestOf(receivedAts)
  const nextAts = priorityNumbers.map((priority) => read.one(selectNextAt, script, priority)?.next_at ?? undefined)
  const nextAt = smallestOf(nextAts.map((each) => (each === undefined ? undefined : Number(each))))
  const [delivered, failed] = [
    last(ofStatus('delivered')),
    last(keys.filter(([, status, reason]) => isErrorState(status, reason))),
  ]
  return {
    scriptId,
    waiting: count('pending'),
    held: count('held'),
    ...(oldestAt !== undefined && { oldestAt }),
    ...(nextAt !== undefined && { nextAt }),
    ...(delivered && { lastDeliveredAt: Number(delivered.at) }),
    ...(failed && { lastError: readError(read, failed) }),
  }
}

/** What waits for each script, and its last delivery and error. Reads indexes only, besides one row of each kind. */
export function readChannelFigures(read: SqlReader, tagId: string, scriptIds: readonly string[]): ChannelFigures[] {
  const tag = Number(read.one('SELECT no FROM ref WHERE id = ?', tagId)?.no ?? 0)
  return scriptIds.map((scriptId) => readFigures(read, tag, scriptId))
}
