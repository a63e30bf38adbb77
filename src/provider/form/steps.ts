import type { RequestSpec, Skip } from './request.ts'
import type { ResponseRule } from './responseRule.ts'

/** One of several requests for an event, and how its response is read. */
export type StepSpec = RequestSpec & {
  /** The path, in the JSON response, of a value that a later step needs: a text or number of at most 512 characters. */
  resultPath?: string
  /** Rules for the response to this step. They precede the provider's rules. */
  responseRules?: readonly ResponseRule[]
}

/**
 * Requests for one event that depend on the responses to earlier ones: find or create a contact, then send its event. A
 * step is sent after the previous step is delivered. A retry continues with the failed step, because the results are
 * stored with the delivery. After a crash of the server, the steps of the interrupted attempt are sent again.
 */
export type RequestSteps = {
  /**
   * Returns the next request, at most 20. Undefined after the last one. `results`: for each delivered step the value at
   * its `resultPath`, undefined if the response has none. Pure.
   */
  next(results: readonly (string | undefined)[]): StepSpec | Skip | undefined
}

/** Requests in a fixed order. A retry does not repeat delivered requests. */
export const inSteps = (steps: readonly StepSpec[]): RequestSteps => ({ next: ({ length }) => steps[length] })
