import type { DeliveryPlace, PlaceRange, StateKey } from '#store/sql/dialect.ts'
import { isAfter, placeOf } from '#store/sql/places.ts'
import type { Read } from '#store/sql/read.ts'

const rowsPerRead = 100
const selectPlaces = `
  SELECT position, idx, script FROM delivery
  WHERE tag = (SELECT no FROM ref WHERE id = ?) AND script = ? AND status = ? AND reason IS ?
    AND position >= ? AND (position, idx, script) < (?, ?, ?)
  ORDER BY position DESC, idx DESC, script DESC LIMIT ?`

/** The places of one state that were read and not taken yet. */
type StateScan = { key: StateKey; after: DeliveryPlace; rows: DeliveryPlace[]; isAtEnd: boolean }

/** Merges the deliveries of some states, newest first. */
export function scanPlaces({ tagId, from, after }: PlaceRange, keys: readonly StateKey[]) {
  const scans = keys.map((key): StateScan => ({ key, after, rows: [], isAtEnd: false }))

  function* readOn(scan: StateScan): Read<void> {
    const { position, idx, script } = scan.after
    const rows = yield [selectPlaces, tagId, ...scan.key, from, position, idx, script, rowsPerRead]
    scan.rows = rows.map(placeOf).reverse()
    scan.after = scan.rows[0] ?? scan.after
    scan.isAtEnd = rows.length < rowsPerRead
  }
  return function* (limit: number): Read<DeliveryPlace[]> {
    const found: DeliveryPlace[] = []
    while (found.length < limit) {
      for (const scan of scans) if (scan.rows.length === 0 && !scan.isAtEnd) yield* readOn(scan)
      const heads = scans.filter(({ rows }) => rows.length > 0)
      if (heads.length === 0) return found
      const first = heads.reduce((one, other) => (isAfter(one.rows.at(-1)!, other.rows.at(-1)!) ? other : one))
      found.push(first.rows.pop()!)
    }
    return found
  }
}
