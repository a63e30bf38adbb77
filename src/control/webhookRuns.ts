import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Run } from '#contract/webhookRun.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { openRun } from '#journal/runLog.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { findOwnScript } from './scripts.ts'

/** What names people may stand in a log. Of errors, which help to find a fault, only e-mail addresses are struck out. */
const withoutPeople = ({ error, ...run }: Run): Run => ({
  ...run,
  logs: [],
  ...(error && { error: { ...error, message: redact(error.message) } }),
})
const redact = redactor({ secrets: [] })

export const listRuns: OperationAnswer<(typeof operations)['listRuns'], ControlDeps> = async (
  { params, query, access },
  deps,
) => {
  const script = await findOwnScript(deps, access, params.scriptId)
  if (!script) throw fault('scriptOrTagNotFound')
  await deps.runLog.flush()
  const { rows, next } = await deps.store.runs.list(script.scriptId, toPageRequest(query))
  for (const { sealed } of rows) await deps.keys.findTeamKey(access.teamId, sealed)
  const runs = rows.map((row) => openRun(deps.keys, access.teamId, row))
  const shown = access.scopes.has('user:read') ? runs : runs.map(withoutPeople)
  return { runs: shown, ...(next !== undefined && { next }) }
}
