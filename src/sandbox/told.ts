import { type Redact, redactor } from '#provider/engine/redaction.ts'
import { codeFile } from '#provider/form/codeSource.ts'
import type { Breach, Thrown } from './frames.ts'
import type { Job, LogLine, Ran, RunError } from './job.ts'
import { limits } from './limits.ts'

export const breachMessages: Readonly<Record<Breach | 'params', string>> = {
  cpu: 'The code used more than half a second of computing time.',
  wall: 'The code took more than 5 seconds.',
  memory: 'The code used more memory than 64 MB.',
  output: 'The code gave or said more than it may.',
  died: 'The process in which the code ran ended.',
  params: 'What the function is given is larger than 256 KiB, or nested deeper than 32 levels.',
}

/** The first place in the customer's own code that a stack names. */
export function placeIn(stack: string): { line: number; column: number } | undefined {
  const [, line, column] = new RegExp(`${RegExp.escape(codeFile)}:(\\d+):(\\d+)`).exec(stack) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}

export const errorOf = ({ name, message, stack }: Thrown, secrets: readonly string[]): RunError => ({
  message: redactor({ secrets })(`${name}: ${message}`).slice(0, 1024),
  ...placeIn(stack),
})

/** Gathers what a run logs, secrets taken out, up to 16 KiB. */
export function gatherLogs({ secrets }: Pick<Job, 'secrets'>): {
  lines: LogLine[]
  log(level: LogLine['level'], text: string): void
} {
  const lines: LogLine[] = []
  let redact: Redact | undefined
  let bytes = 0
  const log = (level: LogLine['level'], said: string) => {
    if (bytes >= limits.logBytes || lines.length >= limits.logLines) return
    redact ??= redactor({ secrets })
    // Cut after the secrets are taken out: half a secret would not be found.
    const text = Buffer.from(redact(said))
      .subarray(0, limits.logBytes - bytes)
      .toString()
    bytes += Buffer.byteLength(text) + 1
    lines.push({ level, text })
  }
  return { lines, log }
}

/** Whether a JSON value is nested no deeper than so many levels. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)))

/** The value that a run gave as JSON; a breach where it is too large, too deep or no JSON. */
export function readValue(text: string): { value: unknown } | { breach: 'output'; message: string } {
  const bad = { breach: 'output', message: breachMessages.output } as const
  if (Buffer.byteLength(text) > limits.resultBytes) return bad
  try {
    const value = JSON.parse(text) as unknown
    return isShallow(value, limits.depth) ? { value } : bad
  } catch {
    return bad
  }
}

export const breachOf = (breach: Breach | 'params', logs: LogLine[] = []): Ran => ({
  breach,
  message: breachMessages[breach],
  logs,
})
