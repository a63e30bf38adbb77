import { badRequest, fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import { simulateIssues } from '#contract/simulate.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { describeBadCode } from '#sandbox/parseCode.ts'
import { simulate as run } from '#webhook/simulate.ts'
import type { ControlDeps } from './controlDeps.ts'

type Operations = typeof operations

/** The secrets in the body are used for this response and not stored. Throws badRequest, webhookOff, overloaded. */
export const simulate: OperationAnswer<Operations['simulate'], ControlDeps> = async ({ body, access }, deps) => {
  const issues = simulateIssues(body)
  if (issues.length > 0) throw badRequest(...issues)
  const { parseCode, runCode, brand, guard, clock } = deps
  const simulated = await run(body, { parseCode, runCode, brand, guard, teamId: access!.teamId, now: clock.now })
  if ('results' in simulated) return simulated
  if ('off' in simulated) throw fault('webhookOff', { headers: { 'retry-after': '60' } })
  if ('overloaded' in simulated) throw fault('overloaded', { headers: { 'retry-after': '1' } })
  throw badRequest({ path: 'code', message: describeBadCode(simulated.badSource) })
}
