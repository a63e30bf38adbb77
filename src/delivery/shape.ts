import type { TagEvent } from '#contract/event.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { type KeptEvent, sealRecord } from '#event/record.ts'
import type { Ran } from '#plugin/plugin.ts'
import { runPlugins } from '#plugin/run.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Entry } from '#stream/stream.ts'
import { deviceOf } from '#user/person.ts'
import { historyOf, type Whose } from './whose.ts'
import type { DeliveryWorld } from './world.ts'

/**
 * What the plugins of the tag make of an event before any channel sees it. What is no event for the channels passes none of
 * them, and what a plugin has made passed them when it was made.
 */
export function shape(
  { event, context }: Pick<KeptEvent, 'event' | 'context'>,
  { tag, whose }: { tag: Snapshot; whose: Pick<Whose, 'own' | 'email'> },
  on: Pick<DeliveryWorld, 'plugins' | 'rates' | 'clock'>,
): Ran {
  if (tag.plugins.length === 0 || context.kind !== undefined || context.made) return { event }
  const { userAgent } = deviceOf(event, context)
  const rates = on.rates()
  return runPlugins(event, tag.plugins, on.plugins, {
    history: historyOf(context, whose),
    now: on.clock.now(),
    ...(rates && { rates }),
    ...(userAgent && { userAgent }),
  })
}

/**
 * An event that a plugin made goes into the stream like one that came in, beside the event that it was made of and of the
 * same person. A crash in between makes it again; the stream then knows its key.
 */
export function addedTo(
  { context }: Pick<KeptEvent, 'context'>,
  made: TagEvent,
  userId: string,
  { keys }: Pick<DeliveryWorld, 'keys'>,
): Entry {
  const { tagId } = context
  const { userIds: _, erased: __, ...rest } = context
  return {
    tagId,
    payload: sealRecord(
      [{ context: { ...rest, userId, made: true }, body: Buffer.from(JSON.stringify(made)) }],
      context,
      keys,
    ),
    ...dedupKeys([made.eventId], context, keys),
  }
}
