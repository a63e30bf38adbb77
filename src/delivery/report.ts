import { isFinal, type Reason, type Status } from '#contract/outcome.ts'
import type { Counter } from '#kit/meter.ts'
import type { DueDelivery, Released, Settled } from '#store/store.ts'
import type { DeliveryWorld } from './world.ts'

/** One wide line per attempt, and the numbers of the metrics page. Neither holds anything of a person. */
export type Report = {
  planned(events: readonly Pick<Released, 'deliveries'>[]): void
  attempted(delivery: DueDelivery, settled: Settled): void
}

/** Adds one to the counter of these labels, which is made when they first come. */
function counting<Labels extends readonly (string | undefined)[]>(counterOf: (...labels: Labels) => Counter) {
  const counters = new Map<string, Counter>()
  return (...labels: Labels): void => {
    const key = labels.join(' ')
    const counter = counters.get(key) ?? counterOf(...labels)
    counters.set(key, counter)
    counter.add()
  }
}

export function makeReport(on: Pick<DeliveryWorld, 'meter' | 'log' | 'environment'>): Report {
  const { environment } = on
  const ended = counting((status: Status, reason?: Reason) =>
    on.meter.counter('aglet_deliveries_total', 'Deliveries that came to an end.', {
      environment,
      status,
      ...(reason && { reason }),
    }),
  )
  const tried = counting((provider: string, outcome: string) =>
    on.meter.counter('aglet_attempts_total', 'Attempts to deliver.', { environment, provider, outcome }),
  )

  return {
    planned(events) {
      for (const { deliveries } of events)
        for (const { status, reason } of deliveries) if (isFinal(status)) ended(status, reason)
    },
    attempted({ tagId, scriptId, providerId, attempts }, { deliveryId, status, reason, nextAt, attempt }) {
      tried(providerId, isFinal(status) ? status : (reason ?? status))
      if (isFinal(status)) ended(status, reason)
      const { httpStatus, durationMs } = attempt ?? {}
      const told = { environment, tagId, scriptId, providerId, deliveryId, number: attempts + 1, status, reason }
      on.log({ message: 'attempt', ...told, httpStatus, durationMs, nextAt })
    },
  }
}

const countMs = 10_000

/** Keeps the number of pending deliveries on the metrics page. */
export async function countPending(
  { store, meter, clock, log, environment }: Pick<DeliveryWorld, 'store' | 'meter' | 'clock' | 'log' | 'environment'>,
  signal: AbortSignal,
): Promise<void> {
  let pending = 0
  meter.gauge('aglet_deliveries_pending', 'Deliveries that wait for an attempt.', () => pending, { environment })
  while (!signal.aborted) {
    pending = await store.journal.pending().catch((error) => {
      log({ level: 'error', message: 'could not count what is pending', error })
      return pending
    })
    await clock.wait(countMs, signal)
  }
}
