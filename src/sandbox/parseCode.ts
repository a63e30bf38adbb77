import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Preview, PreviewLine } from '#contract/preview.ts'
import { fairQueue, QueueFull } from '#kit/fairQueue.ts'
import { programUrl } from '#kit/ownFiles.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { BadCode, ParsedFunction } from './parseChild.ts'

/**
 * Parses customers' code for these names without running it. V8 can take many seconds to parse 1 MiB, so a separate
 * process parses it and is killed after `wallMs`, which counts as a syntax error. `overloaded`: too many requests are
 * waiting.
 */
export type ParseCode = (request: {
  teamId: string
  code: string
  names: readonly string[]
}) => Promise<ParsedFunction[] | 'overloaded'>

export type ParseOptions = { wallMs?: number; maxWaiting?: number; parallel?: number }

const program = fileURLToPath(programUrl('sandbox/parseChild.ts'))

const tooSlow = (names: readonly string[]): ParsedFunction[] =>
  names.map((name) => ({ name, isDefined: true, bad: { message: 'too slow', line: 1, column: 1, isTooSlow: true } }))

/** The position of a syntax error. Empty if parsing took too long. */
export const placeOf = ({ line, column, isTooSlow }: BadCode): { place?: { line: number; column: number } } =>
  isTooSlow ? {} : { place: { line, column } }

/** The predicate of a sentence about "the code". Omits the engine's own message, which may repeat a secret. */
export const describeBadCode = ({ line, column, isTooSlow }: BadCode): string =>
  isTooSlow
    ? 'takes too long to parse: reduce the nesting of its functions'
    : `does not parse: line ${line}, column ${column}`

/** The output of the process. Undefined if it was killed or failed. */
function runParser(text: string, wallMs: number): Promise<string | undefined> {
  const { NODE_COMPILE_CACHE: cache = '' } = process.env
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { NODE_COMPILE_CACHE: cache },
    timeout: wallMs,
    killSignal: 'SIGKILL',
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  child.stdin.on('error', () => {}) // the process may end before it has read everything
  child.stdin.end(text)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0 ? output : undefined))
  })
}

/**
 * Parses the code of one team in sequence, and at once for at most as many teams as there are processors. The teams
 * take turns. `maxWaiting`: the limit for one team.
 */
export function openParser({
  wallMs = 5_000,
  maxWaiting = 20,
  parallel = Math.max(2, availableParallelism()),
}: ParseOptions = {}): ParseCode {
  const queue = fairQueue({ parallel, parallelPerLane: 1, maxPerLane: maxWaiting, maxPerKey: maxWaiting })
  return async ({ teamId, code, names }) => {
    const text = JSON.stringify({ code, names })
    try {
      const output = await queue.run({ lane: teamId, key: '' }, () => runParser(text, wallMs))
      return output === undefined ? tooSlow(names) : (JSON.parse(output) as ParsedFunction[])
    } catch (error) {
      if (error instanceof QueueFull) return 'overloaded'
      throw error
    }
  }
}

/** `place`: the position of a syntax error in the code. */
export type CodeIssue = { variable: string; says: string; place?: { line: number; column: number } }

type ProvidedValues = Readonly<Record<string, string | undefined>>

/**
 * The syntax error, or the missing function, of the code in a provider's variables, as a sentence that repeats none of
 * the code.
 */
export async function findCodeIssue(
  parseCode: ParseCode,
  teamId: string,
  { code }: Partial<Pick<Provider, 'code'>>,
  values: ProvidedValues,
): Promise<CodeIssue | 'overloaded' | undefined> {
  const text = code && values[code.source]
  if (!text) return undefined
  const parsed = await parseCode({ teamId, code: text, names: [code.functionName] })
  if (parsed === 'overloaded') return parsed
  const [result] = parsed
  if (result?.bad)
    return { variable: code.source, says: `The code ${describeBadCode(result.bad)}.`, ...placeOf(result.bad) }
  if (result?.isDefined !== false) return undefined
  const { source: variable, functionName, argument } = code
  const params = argument === 'request' ? 'params' : '{ event, user, secrets, fetch, logger }'
  return {
    variable,
    says: `The code does not define a function ${functionName}: write async function ${functionName}(${params}) {…}.`,
  }
}

/** The preview of a line with a syntax error in its code. Undefined if the code parses. */
export async function refuseBadPreviewCode(
  { provider: id, secrets = {} }: PreviewLine,
  providers: Readonly<Partial<Record<string, Provider>>>,
  parseCode: ParseCode,
  teamId: string,
): Promise<Preview | 'overloaded' | undefined> {
  const issue = await findCodeIssue(parseCode, teamId, providers[id] ?? {}, secrets)
  if (!issue || issue === 'overloaded') return issue
  return { requests: [], error: 'SECRET_REFUSED', message: `${issue.variable}: ${issue.says}` }
}
