import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import type { Ran } from '#sandbox/job.ts'
import { webhookCalls } from '#webhook/calls.ts'
import { jobOf, paramsOf } from '#webhook/job.ts'
import { readResponse } from '#webhook/response.ts'
import { redactorOf } from './endings.ts'
import type { Ready } from './ready.ts'
import type { DeliveryWorld } from './world.ts'

export type RunWorld = Pick<
  DeliveryWorld,
  'runCode' | 'tagUrl' | 'brand' | 'stream' | 'people' | 'keys' | 'clock' | 'intakeRate'
>

const mostSaid = 1_000

/** Hands a request to the customer's code in place of a vendor: what the code makes of it stands where others have an answer. */
export async function runCode(
  request: WireRequest,
  code: CustomerCode,
  ready: Ready,
  on: RunWorld,
): Promise<SendResult> {
  const { tag, script, secrets, outgoing } = ready
  const { scriptId } = script
  const calls = code.argument === 'request' ? webhookCalls({ tag, scriptId, makers: outgoing.makers ?? [] }, on) : {}
  const { userId } = outgoing.person
  const headers = { ...request.headers, ...(userId && { [`${on.brand}UserId`.toLowerCase()]: userId }) }
  const params = paramsOf({ code }, { ...request, headers }, `${on.tagUrl(tag.tagId)}/webhook/${scriptId}`)
  const begun = performance.now()
  const ran = await on.runCode(jobOf({ tag, script, code, secrets }, params, calls))
  const all = saidIn(ran, code)
  // Most runs log nothing, and making a redactor costs.
  const said = all && redactorOf([ready])(all).slice(0, mostSaid)
  return { ...answerOf(ran, code), durationMs: Math.round(performance.now() - begun), ...(said && { codeLog: said }) }
}

/** What the code logged; and what it returned, where that is not an answer in itself. */
function saidIn(ran: Ran, { argument }: CustomerCode): string {
  const returned =
    argument === 'body' && 'value' in ran && ran.value !== null ? [`returned ${JSON.stringify(ran.value)}`] : []
  return [...ran.logs.map(({ text }) => text), ...returned].join('\n')
}

type Came = { status: number; headers: Record<string, string>; body: string }
type Failed = Omit<Extract<SendResult, { failed: string }>, 'durationMs'>

function answerOf(ran: Ran, { argument }: CustomerCode): Came | Failed {
  if ('error' in ran) return { failed: 'broken', message: inLine(ran.error) }
  if ('breach' in ran) return { failed: failureOf(ran), message: ran.message }
  if ('notRun' in ran) return { failed: 'broken', message: ran.message }
  if (argument === 'body') return { status: 200, headers: {}, body: JSON.stringify(ran.value) }
  const response = readResponse(ran.value)
  if (!response) return { failed: 'broken', message: 'The code gave no Response.' }
  const { status, headers, body } = response
  return { status, headers: Object.fromEntries(headers), body: body.toString() }
}

/** The same event would be too large again. Time that goes by while somebody else does not answer is not the event's fault. */
function failureOf({ breach, isWaiting }: Extract<Ran, { breach: unknown }>): Failed['failed'] {
  if (breach === 'params') return 'tooLarge'
  return isWaiting ? 'timeout' : 'killed'
}

const inLine = ({ message, line }: { message: string; line?: number }) =>
  line === undefined ? message : `${message} (line ${line})`
