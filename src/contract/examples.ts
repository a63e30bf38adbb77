import { accountExamples } from './examples/accounts.ts'
import { eventExamples } from './examples/events.ts'
import { exampleValues, type OperationExamples } from './examples/example.ts'
import { matchExamples } from './examples/match.ts'
import { operatorExamples } from './examples/operator.ts'
import { orderExamples } from './examples/orders.ts'
import { replayExamples } from './examples/replays.ts'
import { scriptExamples } from './examples/scripts.ts'
import { sessionExamples } from './examples/sessions.ts'
import { testExamples } from './examples/tests.ts'

/** Example values of path and query fields, by name. */
export const fieldExamples: Readonly<Record<string, string | number>> = exampleValues

/** An example of every operation: its body and its response. */
export const examples: OperationExamples = {
  ...scriptExamples,
  ...eventExamples,
  ...matchExamples,
  ...replayExamples,
  ...orderExamples,
  ...accountExamples,
  ...sessionExamples,
  ...operatorExamples,
  ...testExamples,
}
