import { type DeliveryReason, type DeliveryStatus, isFinal } from '#contract/deliveryStatus.ts'
import type { Counter } from '#kit/meter.ts'
import { repeatEvery } from '#kit/repeatEvery.ts'
import type { AttemptRecord, DeliveryOutcome, DueDelivery, ReleasedEvent } from '#store/store.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { deliveryRecorder, type RecordDelivery } from './deliveryHistograms.ts'

/** Writes one log line per attempt and counts metrics. Neither contains personal data. */
export type AttemptReport = ReturnType<typeof createAttemptReport>

/** Increments the counter with these two labels. A counter is created on first use. */
function labelledCounter<One extends string, Other extends string | undefined>(
  counterOf: (one: One, other: Other) => Counter,
) {
  const counters = new Map<One, Map<Other, Counter>>()
  return (one: One, other: Other): void => {
    const ofOne = counters.get(one) ?? new Map<Other, Counter>()
    const counter = ofOne.get(other) ?? counterOf(one, other)
    counters.set(one, ofOne.set(other, counter))
    counter.add()
  }
}

export function createAttemptReport(deps: Pick<DeliveryDeps, 'meter' | 'log' | 'environment' | 'intakeLog'>) {
  const { environment } = deps
  const countEnded = labelledCounter((status: DeliveryStatus, reason: DeliveryReason | undefined) =>
    deps.meter.counter('aglet_deliveries_total', 'Deliveries that reached a final status.', {
      environment,
      status,
      ...(reason && { reason }),
    }),
  )
  const countAttempt = labelledCounter((provider: string, outcome: string) =>
    deps.meter.counter('aglet_attempts_total', 'Attempts to deliver.', { environment, provider, outcome }),
  )

  const latencies = { intakeLog: deps.intakeLog, recordDelivery: deliveryRecorder(deps) }

  return {
    planned(events: readonly Pick<ReleasedEvent, 'deliveries'>[]): void {
      for (const { deliveries } of events)
        for (const { status, reason } of deliveries) if (isFinal(status)) countEnded(status, reason)
    },
    attempted(delivery: DueDelivery, { deliveryId, status, reason, nextAt, attempt }: DeliveryOutcome): void {
      const { tagId, scriptId, providerId, attempts } = delivery
      countAttempt(providerId, isFinal(status) ? status : (reason ?? status))
      if (isFinal(status)) countEnded(status, reason)
      const { httpStatus, durationMs } = attempt ?? {}
      if (attempt) countLatencies(delivery, status, attempt, latencies)
      deps.log({
        message: 'attempt',
        environment,
        tagId,
        scriptId,
        providerId,
        deliveryId,
        number: attempts + 1,
        status,
        reason,
        httpStatus,
        durationMs,
        nextAt,
      })
    },
  }
}

/**
 * Records how long the vendor took to answer, and how long a delivered event took in total; not the latter for replays.
 */
function countLatencies(
  delivery: DueDelivery,
  status: DeliveryStatus,
  { at, durationMs, httpStatus }: AttemptRecord,
  { intakeLog, recordDelivery }: Pick<DeliveryDeps, 'intakeLog'> & { recordDelivery: RecordDelivery },
): void {
  if (httpStatus !== undefined) intakeLog.addLatency(delivery, 'response', durationMs)
  if (status !== 'delivered' || delivery.priority === 'replay') return
  const deliveryMs = at + durationMs - delivery.receivedAt
  intakeLog.addLatency(delivery, 'delivery', deliveryMs)
  recordDelivery(delivery.providerId, deliveryMs)
}

const countMs = 10_000

/** Updates the gauge of pending deliveries every ten seconds. */
export async function countPending(
  deps: Pick<DeliveryDeps, 'store' | 'meter' | 'clock' | 'log' | 'environment'>,
  signal: AbortSignal,
): Promise<void> {
  const { store, meter, environment } = deps
  let pending = 0
  meter.gauge('aglet_deliveries_pending', 'Deliveries that wait for an attempt.', () => pending, { environment })
  const count = async () => {
    pending = await store.journal.pendingCount(countMs)
  }
  await repeatEvery(countMs, 'count the pending deliveries', count, deps, signal)
}
