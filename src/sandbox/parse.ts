import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Preview, PreviewLine } from '#contract/preview.ts'
import { turns } from '#kit/turns.ts'
import type { CodeSyntaxError } from '#provider/form/codeSource.ts'
import type { Provider } from '#provider/form/provider.ts'

/** Where the syntax of code is wrong. `isTooSlow`: that was not found out in time. */
export type BadCode = CodeSyntaxError & { isTooSlow?: true }

/** What is said of code and one name: whether the code defines a function of it, and what is wrong. */
export type Parsed = { name: string; isDefined: boolean; bad?: BadCode }

/**
 * Parses customers' code for these names and does not run it. Some code of a mebibyte takes V8 many seconds: so a process of its
 * own does it, which is ended after `wallMs`; that is told as bad syntax. `overloaded`: too much waits to be parsed.
 */
export type ParseCode = (ask: {
  teamId: string
  code: string
  names: readonly string[]
}) => Promise<Parsed[] | 'overloaded'>

export type ParseOptions = { wallMs?: number; mostWaiting?: number }

const program = join(import.meta.dirname, 'parseChild.ts')

const tooSlow = (names: readonly string[]): Parsed[] =>
  names.map((name) => ({ name, isDefined: true, bad: { message: 'too slow', line: 1, column: 1, isTooSlow: true } }))

/** What is wrong with code, behind the words "the code". The engine's own message is left out: it may repeat a secret. */
export const sayBad = ({ line, column, isTooSlow }: BadCode): string =>
  isTooSlow
    ? 'takes too long to parse: nest its functions less deeply'
    : `does not parse: line ${line}, column ${column}`

/** What the process says; undefined where it was ended before. */
function ask(text: string, wallMs: number): Promise<string | undefined> {
  const { NODE_COMPILE_CACHE: cache = '' } = process.env
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { NODE_COMPILE_CACHE: cache },
    timeout: wallMs,
    killSignal: 'SIGKILL',
  })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    told += chunk
  })
  child.stdin.on('error', () => {}) // it was ended before it had read everything
  child.stdin.end(text)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code === 0 ? told : undefined))
  })
}

/** One team's code is parsed one after the other, and as many teams' at once as there are processors. */
export function openParser({ wallMs = 5_000, mostWaiting = 100 }: ParseOptions = {}): ParseCode {
  const inTurn = turns()
  const lanes = availableParallelism()
  let waiting = 0
  let count = 0
  return async ({ teamId, code, names }) => {
    if (waiting >= mostWaiting) return 'overloaded'
    waiting++
    const lane = `${count++ % lanes}`
    const text = JSON.stringify({ code, names })
    try {
      const told = await inTurn(`team ${teamId}`, () => inTurn(lane, () => ask(text, wallMs)))
      return told === undefined ? tooSlow(names) : (JSON.parse(told) as Parsed[])
    } finally {
      waiting--
    }
  }
}

type Given = Readonly<Record<string, string | undefined>>

/** What is wrong with the code among the values of a provider's variables: a sentence that repeats none of it. */
export async function wrongCode(
  parseCode: ParseCode,
  teamId: string,
  { code }: Partial<Pick<Provider, 'code'>>,
  given: Given,
): Promise<{ variable: string; says: string } | 'overloaded' | undefined> {
  const text = code && given[code.source]
  if (!text) return undefined
  const parsed = await parseCode({ teamId, code: text, names: [code.functionName] })
  if (parsed === 'overloaded') return parsed
  const bad = parsed[0]?.bad
  return bad && { variable: code.source, says: `The code ${sayBad(bad)}.` }
}

/** What a preview says of a line whose code does not parse. */
export async function refusedCode(
  { provider: id, secrets = {} }: PreviewLine,
  providers: Readonly<Partial<Record<string, Provider>>>,
  parseCode: ParseCode,
  teamId: string,
): Promise<Preview | 'overloaded' | undefined> {
  const wrong = await wrongCode(parseCode, teamId, providers[id] ?? {}, secrets)
  if (!wrong || wrong === 'overloaded') return wrong
  return { requests: [], error: 'SECRET_REFUSED', message: `${wrong.variable}: ${wrong.says}` }
}
