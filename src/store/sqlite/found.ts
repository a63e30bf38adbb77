import type { Writer } from '#kit/writer.ts'
import type { BodiesRef, Findings, Join } from '#store/found.ts'
import type { EventRef } from '#store/store.ts'
import { expiring } from './expire.ts'
import type { Read, Row } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

const newest = `SELECT position, idx FROM event WHERE tag = ${refOf} ORDER BY position DESC, idx DESC LIMIT 1`
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

export const eventRef = (tagId: string) => (row: Row) =>
  present<EventRef>({ tagId, position: row.position, index: row.idx })
const bodiesRef = (row: Row) =>
  present<BodiesRef & { deliveryId: string }>({ deliveryId: row.id, no: row.no, part: row.part })

export const newestOf = (read: Read, tagId: string): EventRef | undefined =>
  read.all(newest, tagId).map(eventRef(tagId))[0]

const join = ({ id, number, no, part }: Row) =>
  present<Join>({ deliveryId: id, number, bodies: no === null ? null : { no, part } })

export const findingsOf = (read: Read, writer: Writer): Findings => ({
  newest: async (tagId) => newestOf(read, tagId),
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
