import { Conflict } from '#store/store.ts'

const last = new Map<string, Promise<unknown>>()
const tries = 5

/** Another process deployed in between: what was read is stale, so the whole change is made again. */
async function again<T>(change: () => Promise<T>, left: number): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const isOvertaken = error instanceof Conflict && error.unique === 'deployment.number'
    if (!isOvertaken || left === 0) throw error
    return again(change, left - 1)
  }
}

/** Changes of one tag are made one after the other: each is the last live snapshot plus its own. */
export async function inTurn<T>(tagId: string, change: () => Promise<T>): Promise<T> {
  const turn = (last.get(tagId) ?? Promise.resolve()).catch(() => {}).then(() => again(change, tries))
  last.set(tagId, turn)
  try {
    return await turn
  } finally {
    if (last.get(tagId) === turn) last.delete(tagId)
  }
}
