import { wholeOwnership } from '#cluster/inProcess.ts'
import { openActivity } from '#kit/activity.ts'
import { silentLog } from '#kit/log.ts'
import type { DeliveryOutcome, DueDelivery } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { fakeJournal } from '../../test/fake/journal.ts'
import { openDispatcher } from './dispatcher.ts'
import { createTimer } from './duePoller.ts'

type Attempt = (delivery: DueDelivery) => Promise<DeliveryOutcome> | DeliveryOutcome
export const delivered = ({ deliveryId }: DueDelivery): DeliveryOutcome => ({ deliveryId, status: 'delivered' })

/** A dispatcher on a fake journal; `attempted` has the ids of the attempted deliveries in order. */
export function openTestDispatcher(attempt: Attempt, stored: DueDelivery[] = []) {
  const clock = turnedClock()
  const timer = createTimer({ clock })
  const giveUp = new AbortController()
  const fake = fakeJournal(stored)
  const attempted: string[] = []
  const paused = new Set<string>()
  const snapshots = { isPaused: (scriptId: string) => paused.has(scriptId), get: () => undefined }
  const store = { journal: fake.journal }
  const notified: number[] = []
  const fixedDeps = {
    log: silentLog,
    ownership: wholeOwnership,
    activity: openActivity(),
    completions: { notify: ({ position }: { position: number }) => void notified.push(position) },
    onChannelEvent() {},
    batchLimits: () => ({ maxEvents: 1, waitMs: 0 }),
  }
  const dispatcherDeps = { ...fixedDeps, clock, store, snapshots, giveUp: giveUp.signal, requestRefill: timer.wake }
  const dispatcher = openDispatcher({
    ...dispatcherDeps,
    async attempt(deliveries) {
      attempted.push(...deliveries.map(({ deliveryId }) => deliveryId))
      return Promise.all(deliveries.map(attempt))
    },
  })
  const offer = (deliveries: DueDelivery[]) => {
    for (const delivery of deliveries) {
      if (!fake.rows.has(delivery.deliveryId)) fake.add(delivery)
      dispatcher.offer(delivery)
    }
  }
  const statuses = () => [...fake.rows.values()].map(({ status }) => status)
  return {
    ...fake,
    clock,
    dispatcher,
    timer,
    offer,
    attempted,
    notified,
    giveUp,
    paused,
    statuses,
    pollerDeps: { ...dispatcherDeps, dispatcher, timer },
  }
}
