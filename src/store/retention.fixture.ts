import type { RetentionCutoffs } from './deliveryQueries.ts'
import type { Journal } from './store.ts'

/** Drops all expired data, slice by slice, and returns the number of dropped rows. */
export async function dropAllExpired(
  journal: Pick<Journal, 'nextKeptTag' | 'dropExpired'>,
  cutoffs: RetentionCutoffs,
): Promise<number> {
  let sum = 0
  for (let tagId: string | undefined = ''; tagId !== undefined; tagId = await journal.nextKeptTag(tagId))
    for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const slice = await journal.dropExpired(cutoffs, tagId, next)
      sum += slice.dropped
      next = slice.next
    }
  return sum
}
