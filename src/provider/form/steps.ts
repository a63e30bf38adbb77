import type { RequestSpec, Skip } from './request.ts'
import type { ResponseRule } from './responseRule.ts'

/** One of several requests for an event, and how its response is read. */
export type StepSpec = RequestSpec & {
  /** The path in the JSON response of a value that a later step needs: a text or number of at most 512 characters. */
  resultPath?: string
  /** Rules for the response to this step, applied before those of the provider. */
  responseRules?: readonly ResponseRule[]
}

/**
 * Requests for one event that depend on the responses to earlier ones: find or create a contact, then send its event. A
 * step is sent after the one before is delivered. A retry continues with the step that failed: the results are stored
 * with the delivery. After a crash of the server, steps of the attempt that it interrupted are sent again.
 */
export type RequestSteps = {
  /**
   * The next request, at most 20; undefined after the last one. `results`: for each step that was delivered the value
   * at its
   * `resultPath`, undefined where the response has none. Pure.
   */
  next(results: readonly (string | undefined)[]): StepSpec | Skip | undefined
}

/** Requests whose order is known from the start. A retry repeats none that was delivered. */
export const inSteps = (steps: readonly StepSpec[]): RequestSteps => ({ next: ({ length }) => steps[length] })
