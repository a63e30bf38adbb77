import type { Status } from '#contract/outcome.ts'
import type { ChannelPause, DueDelivery, Journal } from '#store/store.ts'

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
  lane: 'fresh',
  ...more,
})

/** The part of a journal that lanes stand on, in memory; `rows` may be looked at and changed. */
export function fakeJournal(deliveries: readonly DueDelivery[] = []) {
  const rows = new Map<string, Row>()
  const add = (delivery: DueDelivery) => rows.set(delivery.deliveryId, { ...delivery, status: 'pending' })
  const pending = () => [...rows.values()].filter(({ status }) => status === 'pending')
  deliveries.forEach(add)
  const pauses = new Map<string, ChannelPause>()
  const journal: Pick<Journal, 'begin' | 'settle' | 'due' | 'nextDue' | 'pauses' | 'pause' | 'resume'> = {
    pauses: async () => [...pauses.values()],
    pause: async (pause) => void pauses.set(pause.scriptId, pause),
    resume: async (scriptId) => void pauses.delete(scriptId),
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
        if (row.lane === 'fresh' && row.attempts > 0) row.lane = 'retry'
        row.free += free ? 1 : 0
        row.nextAt = nextAt ?? row.nextAt
      }
    },
    async due(scriptId, nowMs, limit, lane) {
      const due = pending().filter((row) => row.scriptId === scriptId && row.nextAt <= nowMs)
      const ofLane = due.filter((row) => lane === undefined || row.lane === lane)
      return ofLane.sort((one, other) => one.nextAt - other.nextAt).slice(0, limit)
    },
    async nextDue(afterMs) {
      const first = new Map<string, Awaited<ReturnType<Journal['nextDue']>>[number]>()
      for (const { scriptId, lane, nextAt } of pending()) {
        const known = first.get(`${scriptId} ${lane}`)?.nextAt ?? Number.POSITIVE_INFINITY
        if (nextAt > afterMs && nextAt < known) first.set(`${scriptId} ${lane}`, { scriptId, lane, nextAt })
      }
      return [...first.values()]
    },
  }
  return { journal, rows, add, pauses }
}
