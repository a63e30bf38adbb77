import type { DeliveryRow } from '#contract/delivery.ts'

/** Deliveries that failed with the same message. */
export type ErrorGroup = {
  key: string
  message: string | undefined
  httpStatus: number | undefined
  reason: DeliveryRow['reason']
  count: number
  lastAt: number
  /** The newest delivery. */
  last: DeliveryRow
}

/** Replaces what varies between messages of the same error: ids, numbers and quoted values. */
const shapeOf = (message: string) =>
  message
    .slice(0, 500)
    .replace(/"[^"]{1,200}"/g, '"…"')
    .replace(/[0-9a-f-]{16,}|\d+/gi, '…')

/** Groups deliveries by reason, HTTP status and the shape of their message; the largest group first. */
export function errorGroups(rows: readonly DeliveryRow[]): ErrorGroup[] {
  const groups = new Map<string, ErrorGroup>()
  for (const row of rows) {
    const { reason, httpStatus, message, at } = row
    const key = `${reason ?? ''} ${httpStatus ?? ''} ${shapeOf(message ?? '')}`
    const group = groups.get(key)
    if (!group) groups.set(key, { key, message, httpStatus, reason, count: 1, lastAt: at, last: row })
    else {
      group.count += 1
      if (at > group.lastAt) Object.assign(group, { lastAt: at, last: row, message })
    }
  }
  return [...groups.values()].sort((one, other) => other.count - one.count || other.lastAt - one.lastAt)
}
