import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { RunResult } from '#sandbox/job.ts'
import { codeParams, sandboxJob } from '#webhook/sandboxJob.ts'
import { webhookHostFunctions } from '#webhook/webhookHostFunctions.ts'
import { readResponse } from '#webhook/webhookResponse.ts'
import type { AttemptContext } from './attemptContext.ts'
import { redactorOf } from './attemptResults.ts'
import type { CaptureRuleSource } from './captureRules.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

export type RunDeps = Pick<
  DeliveryDeps,
  'runCode' | 'tagUrl' | 'brand' | 'stream' | 'profiles' | 'keys' | 'clock' | 'intakeRate'
> & { captures: CaptureRuleSource['ofTag'] }

const maxLogLength = 1_000

/** Passes a request to the customer's code instead of a vendor. The code's result replaces a vendor's answer. */
export async function runCustomerCode(
  request: WireRequest,
  code: CustomerCode,
  ready: AttemptContext,
  deps: RunDeps,
): Promise<SendResult> {
  const { tag, script, secrets, outgoing } = ready
  const { scriptId } = script
  const calls =
    code.argument === 'request'
      ? webhookHostFunctions(
          { tag, scriptId, originScriptIds: outgoing.originScriptIds ?? [], captures: () => deps.captures(tag) },
          deps,
        )
      : {}
  const { userId } = outgoing.person
  const headers = { ...request.headers, ...(userId && { [`${deps.brand}UserId`.toLowerCase()]: userId }) }
  const params = codeParams({ code }, { ...request, headers }, `${deps.tagUrl(tag.tagId)}/webhook/${scriptId}`)
  const startedAt = performance.now()
  const result = await deps.runCode(sandboxJob({ tag, script, code, secrets }, params, calls))
  const logText = logTextOf(result, code)
  // Most runs log nothing, and a redactor is expensive to create.
  const codeLog = logText && redactorOf([ready])(logText).slice(0, maxLogLength)
  return {
    ...answerOf(result, code),
    durationMs: Math.round(performance.now() - startedAt),
    ...(codeLog && { codeLog }),
  }
}

/** The log of the code, and its return value unless that is a Response. */
function logTextOf(result: RunResult, { argument }: CustomerCode): string {
  const returned =
    argument === 'body' && 'value' in result && result.value !== null
      ? [`returned ${JSON.stringify(result.value)}`]
      : []
  return [...result.logs.map(({ text }) => text), ...returned].join('\n')
}

type HttpAnswer = { status: number; headers: Record<string, string>; body: string }
type Failed = Omit<Extract<SendResult, { failed: string }>, 'durationMs'>

function answerOf(result: RunResult, { argument }: CustomerCode): HttpAnswer | Failed {
  if ('error' in result) return { failed: 'broken', message: inLine(result.error) }
  if ('breach' in result) return { failed: failureOf(result), message: result.message }
  if ('notRun' in result) return { failed: 'broken', message: result.message }
  if (argument === 'body') return { status: 200, headers: {}, body: JSON.stringify(result.value) }
  const response = readResponse(result.value)
  if (!response) return { failed: 'broken', message: 'The code did not return a Response.' }
  const { status, headers, body } = response
  return { status, headers: Object.fromEntries(headers), body: body.toString() }
}

/**
 * Parameters that are too large stay so in a retry. A run that ended while it waited for a call counts as a timeout of
 * the remote side.
 */
function failureOf({ breach, isWaiting }: Extract<RunResult, { breach: unknown }>): Failed['failed'] {
  if (breach === 'params') return 'tooLarge'
  return isWaiting ? 'timeout' : 'killed'
}

const inLine = ({ message, line }: { message: string; line?: number }) =>
  line === undefined ? message : `${message} (line ${line})`
