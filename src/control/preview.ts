import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { previewWithPlugins } from '#plugin/previewWithPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import { refuseBadPreviewCode } from '#sandbox/parseCode.ts'
import type { ControlDeps } from './controlDeps.ts'

type Operations = typeof operations

/** The secrets in the body are used for this response and not stored. Throws overloaded. */
export const preview: OperationAnswer<Operations['preview'], ControlDeps> = async ({ body, access }, deps) => {
  const previewed = previewWithPlugins(body, { providers, plugins, rates: deps.rates?.() }, deps.clock.now())
  const codeIssue = previewed.error
    ? undefined
    : await refuseBadPreviewCode(body, providers, deps.parseCode, access!.teamId)
  if (codeIssue === 'overloaded') throw fault('overloaded', { headers: { 'retry-after': '1' } })
  return codeIssue ?? previewed
}
