import type { Status } from '#contract/outcome.ts'
import type { DueDelivery, Journal } from '#store/store.ts'

type Row = DueDelivery & { status: Status }

export const aDelivery = (deliveryId: string, scriptId: string, more: Partial<DueDelivery> = {}): DueDelivery => ({
  deliveryId,
  scriptId,
  providerId: 'eventSink',
  tagId: 'tag_1',
  position: 1,
  index: 0,
  attempts: 0,
  free: 0,
  nextAt: 0,
  receivedAt: 0,
  ...more,
})

/** The part of a journal that lanes stand on, in memory; `rows` may be looked at and changed. */
export function fakeJournal(deliveries: readonly DueDelivery[] = []) {
  const rows = new Map<string, Row>()
  const add = (delivery: DueDelivery) => rows.set(delivery.deliveryId, { ...delivery, status: 'pending' })
  const pending = () => [...rows.values()].filter(({ status }) => status === 'pending')
  deliveries.forEach(add)
  const journal: Pick<Journal, 'begin' | 'settle' | 'due' | 'nextDue'> = {
    async begin(begun) {
      for (const { deliveryId, untilMs } of begun) {
        const row = rows.get(deliveryId)!
        row.attempts++
        row.nextAt = untilMs
      }
    },
    async settle(outcomes) {
      for (const { deliveryId, status, nextAt, free } of outcomes) {
        const row = rows.get(deliveryId)!
        row.status = status
        row.free += free ? 1 : 0
        row.nextAt = nextAt ?? row.nextAt
      }
    },
    async due(scriptId, nowMs, limit) {
      const due = pending().filter((row) => row.scriptId === scriptId && row.nextAt <= nowMs)
      return due.sort((one, other) => one.nextAt - other.nextAt).slice(0, limit)
    },
    async nextDue(afterMs) {
      const first = new Map<string, number>()
      for (const { scriptId, nextAt } of pending())
        if (nextAt > afterMs) first.set(scriptId, Math.min(nextAt, first.get(scriptId) ?? nextAt))
      return [...first].map(([scriptId, nextAt]) => ({ scriptId, nextAt }))
    },
  }
  return { journal, rows, add }
}
