import { randomUUID } from 'node:crypto'
import type { SimulatedEvent, SimulateLine, SimulationResult } from '#contract/simulate.ts'
import { codeSecretTexts } from '#provider/engine/codeSecrets.ts'
import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import { type Redact, secretRedactor } from '#provider/engine/redaction.ts'
import type { Job, RunResult } from '#sandbox/job.ts'
import type { BadCode, ParsedFunction } from '#sandbox/parseChild.ts'
import type { ParseCode } from '#sandbox/parseCode.ts'
import type { RunCode } from '#sandbox/sharedSandbox.ts'
import { simulatedFetch, simulatedHostFunctions } from './simulatedHost.ts'
import { readResponse } from './webhookResponse.ts'

/** `guard`: the policy that decides which requests of the code are shown as refused. */
export type SimulateDeps = {
  parseCode: ParseCode
  runCode: RunCode
  teamId: string
  /** The provider of the code; by default determined from its functions. */
  kind?: 'playground' | 'webhook'
  brand: string
  guard: GuardPolicy
  now(): number
}

/** The maximum time for all events of a simulation, because the caller waits for the answer. */
const totalMs = 15_000

/** Why a simulation could not run. */
type NotSimulated = { badSource: BadCode } | { off: string } | { overloaded: true }

const tooLate = { message: 'The previous events took too long.' }

type OutsideRequest = NonNullable<SimulateLine['requests']>[number]
type Event = NonNullable<SimulateLine['events']>[number] & { eventId: string }
/** What the code runs for: an event, or a call from an external system. */
type Occasion = { event: Event; request?: OutsideRequest }

/**
 * The kind of code: a playground function takes an event, a webhook function takes a request and returns a Response.
 */
type Kind = Pick<Job, 'name' | 'resultKind'> & {
  paramsFor(occasion: Occasion, user: Record<string, string>, deps: SimulateDeps): Job['params']
  readResult(value: unknown): unknown
}

const playground: Kind = {
  name: 'tag',
  resultKind: 'value',
  paramsFor: ({ event }, user) => ({ event, user }),
  readResult: (value) => value,
}

/** A call from an external system. */
const fromOutside = ({ method = 'POST', headers = {}, body = '' }: OutsideRequest) => ({
  method,
  headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  ...(method === 'GET' || method === 'HEAD' ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
})

const webhook: Kind = {
  name: 'process',
  resultKind: 'response',
  paramsFor: ({ event, request }, { userId }, { brand }) => ({
    request: {
      url: 'https://tag.example/webhook/scr_simulated',
      ...(request
        ? fromOutside(request)
        : {
            method: 'POST',
            headers: [
              ['content-type', 'application/json'],
              ...(userId ? [[`${brand}UserId`.toLowerCase(), userId]] : []),
            ],
            body: JSON.stringify(event),
          }),
    },
  }),
  readResult(value) {
    const response = readResponse(value)
    return response && { ...response, headers: Object.fromEntries(response.headers), body: response.body.toString() }
  },
}

/**
 * The kind of the code, and its syntax error if any: the named kind, else determined by the functions that it defines,
 * else by what it runs for.
 */
function kindOf(
  parsed: readonly ParsedFunction[],
  { kind: named, hasRequests }: { kind: SimulateDeps['kind']; hasRequests: boolean },
): { kind: Kind; bad?: BadCode | undefined } {
  const functionOf = ({ name }: Kind) => parsed.find((each) => each.name === name)!
  const [isWebhook, isPlayground] = [functionOf(webhook).isDefined, functionOf(playground).isDefined]
  const isOfWebhook = named ? named === 'webhook' : !isPlayground && (isWebhook || hasRequests)
  const kind = isOfWebhook ? webhook : playground
  return { kind, bad: functionOf(kind).bad }
}

/** Redacts every text in a value, including the names of members, because a name may be a secret. */
function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [redact(key), redacted(member, redact)]))
}

const outcomeOf = (
  runResult: Exclude<RunResult, { notRun: string }>,
  { readResult: gives }: Kind,
): Pick<SimulatedEvent, 'result' | 'error'> => {
  if ('error' in runResult) return { error: runResult.error }
  if ('breach' in runResult) return { error: { message: runResult.message } }
  const result = gives(runResult.value)
  return result === undefined ? { error: { message: 'The code did not return a Response.' } } : { result }
}

/**
 * Returns a function that runs the code for one event. Its requests and calls are recorded and answered, but never
 * sent.
 */
function prepareRun({ code, secrets = {}, user = {}, replies = [] }: SimulateLine, kind: Kind, deps: SimulateDeps) {
  const { name, resultKind } = kind
  const secretTexts = codeSecretTexts({ source: '', values: 'values' }, { values: JSON.stringify(secrets) })
  const redact = secretRedactor(secretTexts)
  const remainingReplies = [...replies]
  const key = `simulate/${randomUUID()}`
  const jobBase = { teamId: deps.teamId, key, code, name, resultKind, secrets: secretTexts }
  return async (occasion: Occasion): Promise<SimulatedEvent | Extract<RunResult, { notRun: string }>> => {
    const recorded = { requests: [], calls: [] }
    const runResult = await deps.runCode({
      ...jobBase,
      params: { ...kind.paramsFor(occasion, user, deps), secrets },
      fetch: simulatedFetch(recorded, remainingReplies, deps.guard),
      ...(kind === webhook && { calls: simulatedHostFunctions(recorded, user, deps) }),
    })
    if ('notRun' in runResult) return runResult
    const { requests, calls } = recorded
    const simulated = {
      eventId: occasion.event.eventId,
      requests,
      ...(kind === webhook && { calls }),
      logs: [...runResult.logs],
    }
    return redacted({ ...simulated, ...outcomeOf(runResult, kind) }, redact) as SimulatedEvent
  }
}

const notForPlayground = { message: 'The code of a playground takes events, not requests. Use a webhook for requests.' }

const occasionsOf = ({ events = [], requests = [] }: SimulateLine) => [
  ...events.map((event) => ({ event, request: undefined })),
  ...requests.map((request) => ({ event: { eventName: 'request' }, request })),
]

/**
 * Runs code of a playground or a webhook for events, in order, like one version of a script: its globals persist from
 * one event to the next. Secrets are redacted from everything that is returned.
 */
export async function simulate(line: SimulateLine, deps: SimulateDeps): Promise<SimulationResult | NotSimulated> {
  const { code } = line
  const parsed = await deps.parseCode({ teamId: deps.teamId, code, names: [webhook.name, playground.name] })
  if (parsed === 'overloaded') return { overloaded: true }
  const { kind, bad } = kindOf(parsed, { kind: deps.kind, hasRequests: line.requests !== undefined })
  if (bad) return { badSource: bad }
  const run = prepareRun(line, kind, deps)
  const deadline = performance.now() + totalMs
  const results: SimulatedEvent[] = []
  for (const { request, ...input } of occasionsOf(line)) {
    const event = { eventId: `evt-${results.length + 1}`, timestamp: deps.now(), ...input.event }
    const error = performance.now() > deadline ? tooLate : request && kind !== webhook ? notForPlayground : undefined
    if (error) {
      results.push({ eventId: event.eventId, requests: [], logs: [], error })
      continue
    }
    const runResult = await run({ event, ...(request && { request }) })
    if ('notRun' in runResult) return runResult.notRun === 'off' ? { off: runResult.message } : { overloaded: true }
    results.push(runResult)
  }
  return { results }
}
