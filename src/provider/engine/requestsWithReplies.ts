import type { Provider } from '#provider/form/provider.ts'
import type { Skip } from '#provider/form/request.ts'
import { buildTokenRequest, readToken } from './accessToken.ts'
import { type BuildInput, buildRequests } from './buildRequests.ts'
import { type Judgement, judge } from './judgement.ts'
import { type NextStep, type StepResults, stepResult } from './nextStep.ts'
import type { SendResult } from './send.ts'
import type { WireRequest } from './wireRequest.ts'

/** An invented response, for examples and previews. */
type MadeUpReply = { status: number; json?: unknown }

const toSendResult = ({ status, json = null }: MadeUpReply): SendResult => ({
  status,
  headers: {},
  body: JSON.stringify(json),
  durationMs: 0,
})

/**
 * The requests for an event if the vendor sends these replies, in this order: to the token request, then to each step.
 * Without a reply, the token is a placeholder, and a step is the last one. Sends nothing.
 */
export function requestsWithReplies(
  id: string,
  provider: Provider,
  input: BuildInput,
  replies: readonly MadeUpReply[] = [],
): { requests: WireRequest[]; tokenRefused?: Judgement } | Skip {
  const tokenRequest = buildTokenRequest(id, provider, input.secrets, input.now)
  const [tokenReply, stepReplies] = tokenRequest ? [replies[0], replies.slice(1)] : [undefined, replies]
  const token = tokenReply && readToken(provider, toSendResult(tokenReply), input.now)
  const first = tokenRequest ? [tokenRequest] : []
  const isRefused = token && 'refused' in token
  const built = buildRequests(id, provider, { ...input, ...(token && !isRefused && { token: token.token }) })
  if ('skipped' in built) return built
  if (isRefused) return { requests: first, tokenRefused: token.refused }
  const { requests, nextStep } = built
  const steps = nextStep && stepRequests(nextStep, input.stepResults ?? [], stepReplies, provider, input.now)
  return { requests: [...first, ...(steps ?? requests)] }
}

/** The steps end at a response that is not judged delivered. */
function stepRequests(
  nextStep: NextStep,
  stepResults: StepResults,
  replies: readonly MadeUpReply[],
  { responseRules = [] }: Provider,
  now: number,
): WireRequest[] {
  const requests: WireRequest[] = []
  const results = [...stepResults]
  for (;;) {
    const step = nextStep(results)
    if (!step || 'skipped' in step) return requests
    const reply = replies[requests.length]
    requests.push(step.request)
    if (!reply) return requests
    const result = toSendResult(reply)
    const { verdict } = judge({ responseRules: [...step.responseRules, ...responseRules] }, result, now)
    if (verdict !== 'delivered') return requests
    results.push(stepResult(step, result))
  }
}
