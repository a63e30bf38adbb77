import type { Statement } from '#kit/writeBatch.ts'
import { deliveryKeyOf, scriptCode } from '#store/deliveryId.ts'

/** The number of the id of a tag or script. Large tables store the number. */
export const selectRef = '(SELECT no FROM ref WHERE id = ?)'

const insertRef = 'INSERT INTO ref (id, code) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'

/** Assigns a number to each of these ids that has none. */
export const addRefs = (ids: Iterable<string>): Statement => ({
  sql: insertRef,
  rows: Array.from(new Set(ids), (id) => [id, scriptCode(id)]),
})

/** The condition for the row of a delivery. Takes the parameters of `keyParams`, with these placeholders. */
export const isDelivery = ([position, idx, code]: readonly [string, string, string] = ['?', '?', '?']) =>
  `position = ${position} AND idx = ${idx} AND script IN (SELECT no FROM ref WHERE code = ${code})`

/** The key of no delivery. */
const noKey = [-1, -1, -1] as const

export function keyParams(deliveryId: string): readonly [position: number, index: number, code: number] {
  const key = deliveryKeyOf(deliveryId)
  return key ? [key.position, key.index, key.code] : noKey
}

/** The id of a delivery, in a row that is joined with its event and, as `script`, the `ref` of its script. */
export const selectId = 'delivery_id(event.received_at, delivery.position, delivery.idx, script.id)'
