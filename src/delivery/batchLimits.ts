import { createLruCache } from '#kit/lruCache.ts'
import { secretValues } from '#provider/engine/secretValues.ts'
import type { BatchLimits } from '#provider/form/batch.ts'
import type { DueDelivery } from '#store/store.ts'
import type { AttemptContext } from './attemptContext.ts'
import { lingerMs } from './channel.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/** What one call of a script holds at most, and how long the first delivery of a call waits for others. */
export type ScriptBatchLimits = {
  /** The same object until the limits change. */
  of(delivery: Pick<DueDelivery, 'scriptId' | 'providerId'>): BatchLimits
  /** Notes the limits that a script sets itself: its secrets are open only during an attempt. */
  learn(context: Pick<AttemptContext, 'provider' | 'script' | 'secrets'>): void
}

/** The maximum of scripts whose own limits are known; the least recently used one is dropped first. */
const maxScripts = 20_000
const single: BatchLimits = { maxEvents: 1, waitMs: 0 }

/** A script that sets its limits itself sends one event in each call until its first attempt. */
export function openBatchLimits({ providers }: Pick<DeliveryDeps, 'providers'>): ScriptBatchLimits {
  const ofScripts = createLruCache<string, BatchLimits>(maxScripts)
  const ofProviders = new Map(
    Object.entries(providers).flatMap(([id, { batch }]) =>
      batch && !batch.limitsOf ? [[id, { maxEvents: batch.maxEvents, waitMs: lingerMs }] as const] : [],
    ),
  )
  return {
    of: ({ scriptId, providerId }) => ofProviders.get(providerId) ?? ofScripts.get(scriptId) ?? single,
    learn({ provider, script, secrets }) {
      const limits = provider.batch?.limitsOf?.(secretValues(script.providerId, provider, secrets))
      const known = ofScripts.get(script.scriptId)
      if (!limits || (known?.maxEvents === limits.maxEvents && known.waitMs === limits.waitMs)) return
      ofScripts.set(script.scriptId, limits)
    },
  }
}
