import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { check, type Issue } from '#contract/schema.ts'
import { SimulateLine } from '#contract/simulate.ts'
import { sayBad } from '#sandbox/parse.ts'
import { type SimulateWorld, simulate } from '#webhook/simulate.ts'

type Said = { results: readonly unknown[]; error?: string; message?: string }

const issuesOf = check(SimulateLine)
const problem = (error: string, message: string): Said => ({ results: [], error, message })

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const sentence = ({ path, message }: Issue) => `${path || 'The line'}: ${message}.`

type World = Omit<SimulateWorld, 'teamId'>

async function answerTo(text: string, on: World): Promise<Said> {
  const line = parsed(text)
  const [issue] = issuesOf(line)
  if (issue) return problem('BAD_LINE', sentence(issue))
  const simulated = await simulate(line as SimulateLine, { ...on, teamId: 'simulate' })
  if ('results' in simulated) return simulated
  if ('off' in simulated) return problem('CODE_OFF', simulated.off)
  if ('overloaded' in simulated) return problem('OVERLOADED', 'Too much waits to be run.')
  return problem('BAD_CODE', `The code ${sayBad(simulated.badSource)}.`)
}

/** Reads JSON lines and writes one for each, in order, each as soon as it was run. Sends nothing. */
export async function simulateLines(input: Readable, output: Writable, on: World): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const said = await answerTo(line, on)
    if (!output.write(`${JSON.stringify(said)}\n`)) await once(output, 'drain')
  }
}
