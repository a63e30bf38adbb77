import { copyDatabase } from '#kit/copyDatabase.ts'
import { readStreamState } from './streamState.ts'

/** Copies a stream that may be in use. Resolves to the newest position in the copy. */
export const copySqliteStream = (from: string, to: string): Promise<number> =>
  copyDatabase(from, to, (copy) => readStreamState(copy).last)
