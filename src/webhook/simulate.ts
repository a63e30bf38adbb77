import { randomUUID } from 'node:crypto'
import type { Simulated, SimulateLine, Simulation } from '#contract/simulate.ts'
import { hiddenTexts } from '#provider/code.ts'
import { type BadSource, readSource } from '#provider/source.ts'
import { type Strike, striking } from '#provider/striking.ts'
import type { FetchAnswer, FetchRequest, Job, Ran } from '#sandbox/job.ts'
import type { RunCode } from '#sandbox/shared.ts'

export type SimulateWorld = { runCode: RunCode; teamId: string; now(): number }

/** All its events together: whoever asks waits for the answer. */
const totalMs = 15_000

/** What of a line cannot be run at all. */
export type NotSimulated = { badSource: BadSource } | { off: string } | { overloaded: true }

const name = 'tag'
const tooLate = { message: 'The events before this one took too long.' }

const answerTo = (
  { url }: FetchRequest,
  reply: NonNullable<SimulateLine['replies']>[number] | undefined,
): FetchAnswer => ({
  url,
  status: reply?.status ?? 200,
  headers: { 'content-type': 'application/json', ...reply?.headers },
  body: JSON.stringify(reply?.json ?? {}),
})

/** Every text within a value, struck; names of members too, for a secret may be one. */
function struck(value: unknown, strike: Strike): unknown {
  if (typeof value === 'string') return strike(value)
  if (Array.isArray(value)) return value.map((each) => struck(each, strike))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [strike(key), struck(member, strike)]))
}

const requestOf = ({ method, url, headers, body }: FetchRequest) => ({
  method,
  url,
  headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  ...(body !== null && { body }),
})

const endOf = (ran: Exclude<Ran, { notRun: string }>): Pick<Simulated, 'result' | 'error'> => {
  if ('value' in ran) return { result: ran.value }
  return { error: 'error' in ran ? ran.error : { message: ran.message } }
}

type Sample = {
  event: SimulateLine['events'][number] & { eventId: string }
  replies: NonNullable<SimulateLine['replies']>
}

/** One event: the code runs, its requests are answered by what is said for them, and go nowhere. */
async function runOne(
  common: Omit<Job, 'params' | 'fetch'>,
  params: Job['params'],
  { event, replies }: Sample,
  run: RunCode,
) {
  const requests: FetchRequest[] = []
  const fetch = async (request: FetchRequest) => {
    requests.push(request)
    return answerTo(request, replies.shift())
  }
  const ran = await run({ ...common, params: { ...params, event }, fetch })
  if ('notRun' in ran) return ran
  return { eventId: event.eventId, requests: requests.map(requestOf), logs: [...ran.logs], ...endOf(ran) }
}

/**
 * Runs code of the playground for events, in their order, as one version of a script would be run: what it keeps in its
 * globals goes on from one to the next. Secrets are struck out of all that is given back.
 */
export async function simulate(line: SimulateLine, on: SimulateWorld): Promise<Simulation | NotSimulated> {
  const { code, secrets = {}, user = {} } = line
  const source = readSource(code, name)
  if (!('text' in source)) return { badSource: source }
  const hidden = hiddenTexts({ source: '', values: 'values' }, { values: JSON.stringify(secrets) })
  const strike = striking(hidden)
  const replies = [...(line.replies ?? [])]
  const common = {
    teamId: on.teamId,
    key: `simulate/${randomUUID()}`,
    code,
    name,
    shape: 'value',
    secrets: hidden,
  } as const
  const until = performance.now() + totalMs
  const results: Simulated[] = []
  for (const given of line.events) {
    const event = { eventId: `evt-${results.length + 1}`, timestamp: on.now(), ...given }
    if (performance.now() > until) {
      results.push({ eventId: event.eventId, requests: [], logs: [], error: tooLate })
      continue
    }
    const ran = await runOne(common, { user, secrets }, { event, replies }, on.runCode)
    if ('notRun' in ran) return ran.notRun === 'off' ? { off: ran.message } : { overloaded: true }
    results.push(struck(ran, strike) as Simulated)
  }
  return { results }
}
