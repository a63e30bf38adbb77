import type { AppendItem } from '#event/ingest.ts'
import { traced } from '#kit/trace.ts'
import { toDatabaseFault } from '#postgres/databaseFault.ts'
import type { EdgeCall } from './edge.ts'
import { overloaded } from './requestGuards.ts'

const retryAfterSeconds = 5
const appendSpan = {}

/**
 * Appends the accepted events of a call to the stream, durably. Resolves to one boolean per event: false for a
 * duplicate. Throws overloaded or the database's fault, so that the sender retries: a full or failing disk may recover.
 */
export async function appendEvents({ edge, tag }: EdgeCall, item: AppendItem | undefined): Promise<readonly boolean[]> {
  if (!item) return []
  try {
    const isNew = await traced('append', appendSpan, () => edge.append(tag, item))
    for (const [index, key] of item.keys.entries()) if (!isNew[index]) edge.deps.intakeLog.addRepeat(tag.tagId, key)
    return isNew
  } catch (error) {
    const { tagId } = tag
    const refusal = toDatabaseFault(error) ?? overloaded(retryAfterSeconds)
    const events = item.keys.length
    edge.deps.log({
      level: 'error',
      message: `could not append events to the stream; the request was refused with ${refusal.code}`,
      tagId,
      events,
      error,
    })
    throw refusal
  }
}
