import { createLruCache } from '#kit/lruCache.ts'
import { secretValues } from '#provider/engine/secretValues.ts'
import type { BatchLimits } from '#provider/form/batch.ts'
import type { DueDelivery } from '#store/store.ts'
import type { AttemptContext } from './attemptContext.ts'
import { lingerMs } from './channel.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

/** The maximum events per call of a script, and how long the first delivery of a call waits for others. */
export type ScriptBatchLimits = ReturnType<typeof openBatchLimits>

/** The maximum number of scripts whose own limits are cached; the least recently used one is dropped first. */
const maxScripts = 20_000
const single: BatchLimits = { maxEvents: 1, waitMs: 0 }

/** A script that sets its own limits sends one event per call until its first attempt. */
export function openBatchLimits({ providers }: Pick<DeliveryDeps, 'providers'>) {
  const ofScripts = createLruCache<string, BatchLimits>(maxScripts)
  const ofProviders = new Map(
    Object.entries(providers).flatMap(([id, { batch }]) =>
      batch && !batch.limitsOf ? [[id, { maxEvents: batch.maxEvents, waitMs: lingerMs }] as const] : [],
    ),
  )
  return {
    /** Returns the same object until the limits change. */
    of: ({ scriptId, providerId }: Pick<DueDelivery, 'scriptId' | 'providerId'>) =>
      ofProviders.get(providerId) ?? ofScripts.get(scriptId) ?? single,
    /**
     * Stores the limits that a script sets itself. They are read during an attempt, the only time when its secrets are
     * decrypted.
     */
    learn({ provider, script, secrets }: Pick<AttemptContext, 'provider' | 'script' | 'secrets'>): void {
      const limits = provider.batch?.limitsOf?.(secretValues(script.providerId, provider, secrets))
      const known = ofScripts.get(script.scriptId)
      if (!limits || (known?.maxEvents === limits.maxEvents && known.waitMs === limits.waitMs)) return
      ofScripts.set(script.scriptId, limits)
    },
  }
}
