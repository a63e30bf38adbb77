import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { openRun } from '#journal/runLog.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { findOwnScript } from './scripts.ts'

export const listRuns: OperationAnswer<(typeof operations)['listRuns'], ControlDeps> = async (
  { params, query, access },
  deps,
) => {
  const script = await findOwnScript(deps, access, params.scriptId)
  if (!script) throw fault('scriptOrTagNotFound')
  await deps.runLog.flush()
  const { rows, next } = await deps.store.runs.list(script.scriptId, toPageRequest(query))
  const runs = rows.map((row) => openRun(deps.keys, access.teamId, row))
  return { runs, ...(next !== undefined && { next }) }
}
