import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { ChannelPause, DueDelivery, Journal } from '#store/store.ts'

type FakeDelivery = DueDelivery & { status: DeliveryStatus }

export const aDelivery = (deliveryId: string, scriptId: string, more: Partial<DueDelivery> = {}): DueDelivery => ({
  deliveryId,
  scriptId,
  providerId: 'eventSink',
  tagId: 'tag_1',
  position: 1,
  index: 0,
  attempts: 0,
  uncountedAttempts: 0,
  nextAt: 0,
  receivedAt: 0,
  priority: 'new',
  ...more,
})

/** The part of a journal that the dispatcher uses, in memory; `rows` can be read and changed. */
export function fakeJournal(deliveries: readonly DueDelivery[] = []) {
  const rows = new Map<string, FakeDelivery>()
  const add = (delivery: DueDelivery) => rows.set(delivery.deliveryId, { ...delivery, status: 'pending' })
  const pending = () => [...rows.values()].filter(({ status }) => status === 'pending')
  deliveries.forEach(add)
  const pauses = new Map<string, ChannelPause>()
  const journal: Pick<Journal, 'markInFlight' | 'settle' | 'due' | 'nextDue' | 'pauses' | 'pause' | 'resume'> = {
    pauses: async () => [...pauses.values()],
    pause: async (pause) => void pauses.set(pause.scriptId, pause),
    resume: async (scriptId) => void pauses.delete(scriptId),
    async markInFlight(deliveries) {
      for (const { deliveryId, untilMs } of deliveries) {
        const row = rows.get(deliveryId)!
        row.attempts++
        row.nextAt = untilMs
      }
    },
    async settle(outcomes) {
      for (const { deliveryId, status, nextAt, isUncounted } of outcomes) {
        const row = rows.get(deliveryId)!
        row.status = status
        if (row.priority === 'new' && row.attempts > 0) row.priority = 'retry'
        row.uncountedAttempts += isUncounted ? 1 : 0
        row.nextAt = nextAt ?? row.nextAt
      }
    },
    async due(requests, nowMs) {
      return requests.map(({ scriptId, priority, limit }) => {
        const due = pending().filter((row) => row.scriptId === scriptId && row.nextAt <= nowMs)
        const ofPriority = due.filter((row) => priority === undefined || row.priority === priority)
        return ofPriority.sort((one, other) => one.nextAt - other.nextAt).slice(0, limit)
      })
    },
    async nextDue(afterMs) {
      const first = new Map<string, Awaited<ReturnType<Journal['nextDue']>>[number]>()
      for (const { scriptId, priority, nextAt } of pending()) {
        const known = first.get(`${scriptId} ${priority}`)?.nextAt ?? Number.POSITIVE_INFINITY
        if (nextAt > afterMs && nextAt < known) first.set(`${scriptId} ${priority}`, { scriptId, priority, nextAt })
      }
      return [...first.values()]
    },
  }
  return { journal, rows, add, pauses }
}
