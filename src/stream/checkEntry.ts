import type { StreamEntry } from './stream.ts'

const eventsPerBody = 500

/** Throws a RangeError for too many events, or if the numbers of keys and other keys differ. */
export function checkEntry({ keys, others }: StreamEntry): void {
  if (keys.length > eventsPerBody)
    throw new RangeError(`a body can have at most ${eventsPerBody} events, not ${keys.length}`)
  if (others && others.length !== keys.length)
    throw new RangeError(`an entry needs one other key for each of its ${keys.length} keys, not ${others.length}`)
}
