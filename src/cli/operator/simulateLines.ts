import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { asSentence } from '#contract/issueSentence.ts'
import { jsonOf } from '#contract/jsonOf.ts'
import type { Issue } from '#contract/schema.ts'
import { type SimulatedEvent, SimulateLine, simulateIssues } from '#contract/simulate.ts'
import { compileValidator } from '#contract/validator.ts'
import { describeBadCode } from '#sandbox/parseCode.ts'
import { type SimulateDeps, simulate } from '#webhook/simulate.ts'

type SimulateAnswer = { results: readonly unknown[]; error?: string; message?: string }

const checkLine = compileValidator(SimulateLine)
const lineProblem = (error: string, message: string): SimulateAnswer => ({ results: [], error, message })

const issueSentence = ({ path, message }: Issue) => `${path || 'The line'}: ${asSentence(message)}`

type SimulateLinesDeps = Omit<SimulateDeps, 'teamId' | 'kind'>

async function simulateLine(
  text: string,
  { parseCode, runCode, brand, guard, now }: SimulateLinesDeps,
): Promise<SimulateAnswer> {
  const line = jsonOf(text)
  const [issue] = [...checkLine(line), ...simulateIssues(Object(line))]
  if (issue) return lineProblem('BAD_LINE', issueSentence(issue))
  const deps = { parseCode, runCode, teamId: 'simulate', brand, guard, now }
  const simulated = await simulate(line as SimulateLine, deps)
  if ('results' in simulated) return simulated
  if ('off' in simulated) return lineProblem('CODE_OFF', simulated.off)
  if ('overloaded' in simulated) return lineProblem('OVERLOADED', 'Too many runs are waiting. Try again later.')
  return lineProblem('BAD_CODE', `The code ${describeBadCode(simulated.badSource)}.`)
}

const hasFailed = ({ results, error }: SimulateAnswer) =>
  error !== undefined || results.some((each) => (each as SimulatedEvent).error !== undefined)

/**
 * Writes one JSON line for each input line, in order and before reading the next. Sends nothing. Resolves with whether
 * every line ran without an error.
 */
export async function simulateLines(input: Readable, output: Writable, deps: SimulateLinesDeps): Promise<boolean> {
  let isGood = true
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const answer = await simulateLine(line, deps)
    if (hasFailed(answer)) isGood = false
    if (!output.write(`${JSON.stringify(answer)}\n`)) await once(output, 'drain')
  }
  return isGood
}
