import type { RecordEvent } from '#event/record.ts'
import type { PluginResult } from '#plugin/plugin.ts'
import { runPlugins } from '#plugin/runPlugins.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { deviceOf } from '#user/outboundPerson.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'
import { historyOf, type ResolvedUser } from './resolveUser.ts'

/**
 * Runs the tag's plugins on an event, before any channel gets it. User updates and consents skip the plugins. So do
 * events that a plugin added: the plugins ran on them when they were made.
 */
export function applyPlugins(
  { event, context }: Pick<RecordEvent, 'event' | 'context'>,
  { tag, user }: { tag: Snapshot; user: Pick<ResolvedUser, 'own' | 'email'> },
  deps: Pick<DeliveryDeps, 'plugins' | 'rates' | 'clock'>,
): PluginResult {
  if (tag.plugins.length === 0 || context.kind !== undefined || context.isMadeByCode) return { event }
  const { userAgent } = deviceOf(event, context)
  const rates = deps.rates()
  return runPlugins(event, tag.plugins, deps.plugins, {
    history: historyOf(context, user),
    now: deps.clock.now(),
    ...(rates && { rates }),
    ...(userAgent && { userAgent }),
  })
}
