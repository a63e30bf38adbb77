import type { JournalWriter } from './journalWriter.ts'

/** Reads rows after everything that was recorded before the call has its rows. */
export const foldedFirst =
  ({ fold }: Pick<JournalWriter, 'fold'>) =>
  <Args extends unknown[], Out>(read: (...args: Args) => Promise<Out>) =>
  async (...args: Args): Promise<Out> => {
    await fold()
    return read(...args)
  }
