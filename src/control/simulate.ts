import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { type SimulateLine, type SimulateRequest, simulateIssues } from '#contract/simulate.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { codeTokenOf, codeValuesOf } from '#provider/engine/codeSecrets.ts'
import { describeBadCode, placeOf } from '#sandbox/parseCode.ts'
import { simulate as run } from '#webhook/simulate.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openDraftSecrets } from './draftSecrets.ts'

/**
 * Decrypts stored and sealed secrets; plaintext values replace them. Stored secrets need secret:write, because code can
 * copy them. Throws badRequest, scopeMissing, scriptOrTagNotFound and secretRefused.
 */
async function openLine(
  { scriptId, sealed, provider: providerId, ...line }: SimulateRequest,
  access: TeamAccess,
  deps: ControlDeps,
): Promise<SimulateLine> {
  if (scriptId == null && !sealed) return line
  if (providerId == null) throw badRequest({ path: 'provider', message: 'is required with scriptId or sealed' })
  if (scriptId != null) requireScopes(['secret:write'], access)
  const { provider, secrets } = await openDraftSecrets(deps, access, { providerId, scriptId, entries: sealed })
  const { code } = provider
  const values = code ? { ...codeTokenOf(code, secrets), ...codeValuesOf(code, secrets) } : {}
  return { ...line, secrets: { ...values, ...line.secrets } }
}

/** The secrets in the body are used for this response and not stored. Throws badRequest, webhookOff, overloaded. */
export const simulate: AnswerFor<'simulate'> = async ({ body, access }, deps) => {
  const issues = simulateIssues(body)
  if (issues.length > 0) throw badRequest(...issues)
  const { parseCode, runCode, brand, guard, clock } = deps
  const { teamId } = access
  const line = await openLine(body, access, deps)
  const kind = body.provider ?? undefined
  const simulated = await run(line, { ...(kind && { kind }), parseCode, runCode, brand, guard, teamId, now: clock.now })
  if ('results' in simulated) return simulated
  if ('off' in simulated) throw fault('webhookOff', { headers: { 'retry-after': '60' } })
  if ('overloaded' in simulated) throw fault('overloaded', { headers: { 'retry-after': '1' } })
  const { badSource } = simulated
  throw badRequest({ path: 'code', message: describeBadCode(badSource), ...placeOf(badSource).place })
}
