import type { TagEvent } from '#contract/event.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { type RecordEvent, sealRecord } from '#event/record.ts'
import type { PluginResult } from '#plugin/plugin.ts'
import { runPlugins } from '#plugin/runPlugins.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { StreamEntry } from '#stream/stream.ts'
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

/**
 * The stream entry of an event that a plugin added. It has the same user as its source event. After a crash the plugin
 * may add the event again; the stream deduplicates it by its key.
 */
export function addedEventEntry(
  { context }: Pick<RecordEvent, 'context'>,
  addedEvent: TagEvent,
  userId: string,
  { keys }: Pick<DeliveryDeps, 'keys'>,
): StreamEntry {
  const { tagId } = context
  const { userIds: _, erased: __, ...rest } = context
  return {
    tagId,
    payload: sealRecord(
      [{ context: { ...rest, userId, isMadeByCode: true }, body: Buffer.from(JSON.stringify(addedEvent)) }],
      context,
      keys,
    ),
    ...dedupKeys([addedEvent.eventId], context, keys),
  }
}
