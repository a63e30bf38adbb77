import { randomUUID } from 'node:crypto'
import type { Simulated, SimulateLine, Simulation } from '#contract/simulate.ts'
import { codeSecretTexts } from '#provider/engine/codeSecrets.ts'
import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import { type Redact, secretRedactor } from '#provider/engine/redaction.ts'
import type { Job, Ran } from '#sandbox/job.ts'
import type { BadCode, ParseCode, Parsed } from '#sandbox/parse.ts'
import type { RunCode } from '#sandbox/shared.ts'
import { readResponse } from './response.ts'
import { stagedCalls, stagedFetch } from './stage.ts'

/** `guard`: which addresses code may reach, had it really run. */
export type SimulateWorld = {
  parseCode: ParseCode
  runCode: RunCode
  teamId: string
  brand: string
  guard: GuardPolicy
  now(): number
}

/** All its events together: whoever asks waits for the answer. */
const totalMs = 15_000

/** What of a line cannot be run at all. */
export type NotSimulated = { badSource: BadCode } | { off: string } | { overloaded: true }

const tooLate = { message: 'The events before this one took too long.' }

type Event = SimulateLine['events'][number] & { eventId: string }

/** Of which of the two providers code is: a function for an event, or one that takes it as a request and answers. */
type Kind = Pick<Job, 'name' | 'shape'> & {
  takes(event: Event, user: Record<string, string>, on: SimulateWorld): Job['params']
  gives(value: unknown): unknown
}

const playground: Kind = {
  name: 'tag',
  shape: 'value',
  takes: (event, user) => ({ event, user }),
  gives: (value) => value,
}

const webhook: Kind = {
  name: 'process',
  shape: 'response',
  takes: (event, { userId }, { brand }) => ({
    request: {
      url: 'https://tag.example/webhook/scr_simulated',
      method: 'POST',
      headers: [['content-type', 'application/json'], ...(userId ? [[`${brand}UserId`.toLowerCase(), userId]] : [])],
      body: JSON.stringify(event),
    },
  }),
  gives(value) {
    const response = readResponse(value)
    return response && { ...response, headers: Object.fromEntries(response.headers), body: response.body.toString() }
  },
}

/** Which of the two the code is, and what its syntax is under that name. */
function kindOf(parsed: readonly Parsed[]): { kind: Kind; bad?: BadCode | undefined } {
  const of = ({ name }: Kind) => parsed.find((each) => each.name === name)!
  const kind = of(webhook).isDefined && !of(playground).isDefined ? webhook : playground
  return { kind, bad: of(kind).bad }
}

/** Every text within a value, redacted; names of members too, for a secret may be one. */
function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [redact(key), redacted(member, redact)]))
}

const endOf = (ran: Exclude<Ran, { notRun: string }>, { gives }: Kind): Pick<Simulated, 'result' | 'error'> => {
  if ('error' in ran) return { error: ran.error }
  if ('breach' in ran) return { error: { message: ran.message } }
  const result = gives(ran.value)
  return result === undefined ? { error: { message: 'The code gave no Response.' } } : { result }
}

/** One event after the other: the code runs, what it asks for is written down and answered, and goes nowhere. */
function openRun({ code, secrets = {}, user = {}, replies = [] }: SimulateLine, kind: Kind, on: SimulateWorld) {
  const { name, shape } = kind
  const hidden = codeSecretTexts({ source: '', values: 'values' }, { values: JSON.stringify(secrets) })
  const redact = secretRedactor(hidden)
  const left = [...replies]
  const key = `simulate/${randomUUID()}`
  const common = { teamId: on.teamId, key, code, name, shape, secrets: hidden }
  return async (event: Event): Promise<Simulated | Extract<Ran, { notRun: string }>> => {
    const did = { requests: [], calls: [] }
    const ran = await on.runCode({
      ...common,
      params: { ...kind.takes(event, user, on), secrets },
      fetch: stagedFetch(did, left, on.guard),
      ...(kind === webhook && { calls: stagedCalls(did, user, on) }),
    })
    if ('notRun' in ran) return ran
    const { requests, calls } = did
    const told = { eventId: event.eventId, requests, ...(kind === webhook && { calls }), logs: [...ran.logs] }
    return redacted({ ...told, ...endOf(ran, kind) }, redact) as Simulated
  }
}

/**
 * Runs code of the playground, or of a webhook, for events, in their order, as one version of a script would be run: what it
 * keeps in its globals goes on from one to the next. Secrets are taken out of all that is given back.
 */
export async function simulate(line: SimulateLine, on: SimulateWorld): Promise<Simulation | NotSimulated> {
  const { code } = line
  const parsed = await on.parseCode({ teamId: on.teamId, code, names: [webhook.name, playground.name] })
  if (parsed === 'overloaded') return { overloaded: true }
  const { kind, bad } = kindOf(parsed)
  if (bad) return { badSource: bad }
  const run = openRun(line, kind, on)
  const until = performance.now() + totalMs
  const results: Simulated[] = []
  for (const given of line.events) {
    const event = { eventId: `evt-${results.length + 1}`, timestamp: on.now(), ...given }
    if (performance.now() > until) {
      results.push({ eventId: event.eventId, requests: [], logs: [], error: tooLate })
      continue
    }
    const ran = await run(event)
    if ('notRun' in ran) return ran.notRun === 'off' ? { off: ran.message } : { overloaded: true }
    results.push(ran)
  }
  return { results }
}
