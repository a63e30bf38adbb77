import { copyDatabase } from '#kit/copy.ts'
import { standingOf } from './standing.ts'

/** Copies a stream that may be in use. Resolves with the newest position that the copy has. */
export const copySqliteStream = (from: string, to: string): Promise<number> =>
  copyDatabase(from, to, (copy) => standingOf(copy).last)
