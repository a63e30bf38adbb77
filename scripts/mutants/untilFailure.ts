import type { TestEvent } from 'node:test/reporters'

/** A reporter of tests that ends the process at the first failure: one failure detects a mutant. */
export default async function* untilFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) if (type === 'test:fail' && !data.todo) process.exit(1)
  yield ''
}
