import type { JournalWriter } from './journalWriter.ts'

/** Reads rows only when all records before the call have become rows. */
export const foldedFirst =
  ({ fold }: Pick<JournalWriter, 'fold'>) =>
  <Args extends unknown[], Out>(read: (...args: Args) => Promise<Out>) =>
  async (...args: Args): Promise<Out> => {
    await fold()
    return read(...args)
  }
