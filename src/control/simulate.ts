import { badRequest, fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { sayBad } from '#sandbox/parse.ts'
import { simulate as run } from '#webhook/simulate.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations

/** The secrets of the line are used for this answer and kept nowhere. Throws badRequest, webhookOff, overloaded. */
export const simulate: Answer<Operations['simulate'], ControlWorld> = async ({ body, access }, on) => {
  const { parseCode, runCode, brand, guard, clock } = on
  const simulated = await run(body, { parseCode, runCode, brand, guard, teamId: access!.teamId, now: clock.now })
  if ('results' in simulated) return simulated
  if ('off' in simulated) throw fault('webhookOff', { headers: { 'retry-after': '60' } })
  if ('overloaded' in simulated) throw fault('overloaded', { headers: { 'retry-after': '1' } })
  throw badRequest({ path: 'code', message: sayBad(simulated.badSource) })
}
