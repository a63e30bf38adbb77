import { accountExamples } from './examples/accounts.ts'
import { eventExamples } from './examples/events.ts'
import { type Examples, named } from './examples/example.ts'
import { replayExamples } from './examples/replays.ts'
import { scriptExamples } from './examples/scripts.ts'
import { sessionExamples } from './examples/sessions.ts'

/** What stands for a field of a path or of a query, by its name. */
export const fieldExamples: Readonly<Record<string, string | number>> = named

/** An example of every operation: what it is asked and what it gives, beside its row. */
export const examples: Examples = {
  ...scriptExamples,
  ...eventExamples,
  ...replayExamples,
  ...accountExamples,
  ...sessionExamples,
}
