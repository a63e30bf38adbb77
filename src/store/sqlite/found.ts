import type { Writer } from '#kit/writer.ts'
import type { BodiesRef, Findings, Join } from '#store/found.ts'
import type { EventRef } from '#store/store.ts'
import { countsOf } from './counts.ts'
import { deliveriesAt, findDeliveries, standingOf } from './deliveries.ts'
import { expiring } from './expire.ts'
import type { Read, Row } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

const newest = `SELECT position, idx FROM event WHERE tag = ${refOf} ORDER BY position DESC, idx DESC LIMIT 1`
const after = `SELECT position, idx FROM event WHERE tag = ${refOf} AND (position, idx) > (?, ?) ORDER BY position, idx LIMIT ?`
const pack = 'SELECT ref.id AS tag_id, sealed FROM bodies JOIN ref ON ref.no = bodies.tag WHERE bodies.no = ?'
const packsOf = `
  SELECT delivery.id, attempt.bodies AS no, attempt.part FROM delivery JOIN attempt ON attempt.delivery = delivery.no
  WHERE delivery.position = ? AND delivery.idx = ? AND attempt.bodies IS NOT NULL`
const joins = `
  SELECT delivery.id, attempt.number, attempt.bodies AS no, attempt.part
  FROM attempt INDEXED BY attempt_joined JOIN delivery ON delivery.no = attempt.delivery
  WHERE attempt.joined = ? AND delivery.tag = ${refOf} LIMIT ?`
const needed = `SELECT DISTINCT position FROM delivery
  WHERE position BETWEEN ? AND ? AND status IN ('pending', 'held', 'dead', 'refused') AND reason IS NOT 'erased'`

const eventRef = (tagId: string) => (row: Row) => present<EventRef>({ tagId, position: row.position, index: row.idx })
const bodiesRef = (row: Row) =>
  present<BodiesRef & { deliveryId: string }>({ deliveryId: row.id, no: row.no, part: row.part })

const join = ({ id, number, no, part }: Row) =>
  present<Join>({ deliveryId: id, number, bodies: no === null ? null : { no, part } })

/** More than this are not counted. */
const mostBehind = 10_000

function eventsAfter(read: Read, tagId: string, place: EventRef | undefined, limit: number) {
  const [position, idx] = place ? [place.position, place.index] : [-1, -1]
  const places = read.all(after, tagId, position, idx, limit + mostBehind).map(eventRef(tagId))
  const shown = places.slice(0, limit)
  const last = shown.at(-1)
  const rows = shown.flatMap((each) => deliveriesAt(read, tagId, each.position, each.index))
  return { rows, more: places.length - shown.length, ...(last && { last }) }
}

export const findingsOf = (read: Read, writer: Writer): Findings => ({
  deliveries: async (tagId, filter, page) => findDeliveries(read, tagId, filter, page),
  standing: async (tagId, deliveryIds) => standingOf(read, tagId, deliveryIds),
  newest: async (tagId) => read.all(newest, tagId).map(eventRef(tagId))[0],
  after: async (tagId, place, limit) => eventsAfter(read, tagId, place, limit),
  counts: (tagId, range) => countsOf(read, tagId, range),
  async pack(no) {
    const row = read.one(pack, no)
    return row && present<{ tagId: string; sealed: Uint8Array }>({ tagId: row.tag_id, sealed: row.sealed })
  },
  joins: async (tagId, userId, limit) => read.all(joins, userId, tagId, limit).map(join),
  packsOf: async (events) => events.flatMap(({ position, index }) => read.all(packsOf, position, index).map(bodiesRef)),
  repack: (no, sealed) => writer.write([{ sql: 'UPDATE bodies SET sealed = ? WHERE no = ?', rows: [[sealed, no]] }]),
  needed: async (from, to) => read.all(needed, from, to).map(({ position }) => Number(position)),
  expire: expiring(read, writer),
})
