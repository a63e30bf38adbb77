import type { Skip } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import type { StepSpec } from '#provider/form/steps.ts'
import { bodyJson, valueAt } from './judgement.ts'
import type { SendResult } from './send.ts'
import type { WireRequest } from './wireRequest.ts'

/** For each delivered step, the value that later steps need. Undefined if the response has none. */
export type StepResults = readonly (string | undefined)[]

/** A step as it is sent. */
type WireStep = { request: WireRequest; resultPath?: string; responseRules: readonly ResponseRule[] }

/**
 * Builds the next step. Undefined after the last step, or if the vendor has no test mode for the step. Throws beyond
 * `maxSteps`.
 */
export type NextStep = (results: StepResults) => WireStep | Skip | undefined

/** A sequence that does not end is a bug in the provider. */
export const maxSteps = 20
const maxResultLength = 512

/** The text or number at `resultPath`, as text. A value of more than 512 characters counts as absent. */
export function stepResult({ resultPath }: Pick<StepSpec, 'resultPath'>, result: SendResult): string | undefined {
  if (resultPath === undefined || !('body' in result)) return undefined
  const value = valueAt(bodyJson(result.body), resultPath)
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  return text !== '' && text.length <= maxResultLength ? text : undefined
}
