import type { ProviderId } from '#contract/providerIds.ts'
import type { DurationHistogram } from '#kit/meter.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/** Records how long a vendor, a customer's endpoint or customer code took to answer one request. */
export type RecordResponse = (providerId: ProviderId, durationMs: number) => void

/** Records the time from receipt of an event to its delivery. */
export type RecordDelivery = (providerId: ProviderId, durationMs: number) => void

/** Bounds for answers: from a call within a data centre to the timeout. */
const responseBoundsSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Bounds for deliveries: from an immediate one to one at the last attempt, two days later. */
const deliveryBoundsSeconds = [
  0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 172_800,
]

type MeterDeps = Pick<DeliveryDeps, 'meter' | 'environment'>

/** One series per provider in use. The label is bounded by the ids of the catalogue. */
function byProvider(name: string, help: string, boundsSeconds: readonly number[], { meter, environment }: MeterDeps) {
  const histograms = new Map<ProviderId, DurationHistogram>()
  return (provider: ProviderId, durationMs: number): void => {
    const known = histograms.get(provider)
    const one = known ?? meter.histogram(name, help, boundsSeconds, { environment, provider })
    if (!known) histograms.set(provider, one)
    one.record(durationMs / 1_000)
  }
}

export const responseRecorder = (deps: MeterDeps): RecordResponse =>
  byProvider(
    'aglet_vendor_response_duration_seconds',
    'Time from a request to a vendor until its answer.',
    responseBoundsSeconds,
    deps,
  )

export const deliveryRecorder = (deps: MeterDeps): RecordDelivery =>
  byProvider(
    'aglet_delivery_duration_seconds',
    'Time from the receipt of an event until it is delivered; replays are not counted.',
    deliveryBoundsSeconds,
    deps,
  )
