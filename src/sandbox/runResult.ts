import { type Redact, redactor } from '#provider/engine/redaction.ts'
import { codeFile } from '#provider/form/codeSource.ts'
import type { LimitBreach, ThrownError } from './frames.ts'
import type { Job, LogLine, RunError, RunResult } from './job.ts'
import { sandboxLimits } from './sandboxLimits.ts'

const breachMessages: Readonly<Record<LimitBreach | 'params', string>> = {
  cpu: 'The code used more than half a second of computing time.',
  wall: 'The code took more than 5 seconds.',
  memory: 'The code used more memory than 64 MB.',
  output: 'The result or the output of the code is too large.',
  died: 'The process that ran the code ended.',
  params: 'The params of the function are larger than 256 KiB, or nested deeper than 32 levels.',
}

/** The first position in the customer's code in a stack. */
export function findCodePosition(stack: string): { line: number; column: number } | undefined {
  const [, line, column] = new RegExp(`${RegExp.escape(codeFile)}:(\\d+):(\\d+)`).exec(stack) ?? []
  return line === undefined ? undefined : { line: Number(line), column: Number(column) }
}

export const toRunError = ({ name, message, stack }: ThrownError, secrets: readonly string[]): RunError => ({
  message: redactor({ secrets })(`${name}: ${message}`).slice(0, 1024),
  ...findCodePosition(stack),
})

/** Collects the redacted logs of a run, up to 16 KiB and 256 lines. */
export function createLogCollector({ secrets }: Pick<Job, 'secrets'>): {
  lines: LogLine[]
  log(level: LogLine['level'], text: string): void
} {
  const lines: LogLine[] = []
  let redact: Redact | undefined
  let bytes = 0
  const log = (level: LogLine['level'], unredacted: string) => {
    if (bytes >= sandboxLimits.logBytes || lines.length >= sandboxLimits.logLines) return
    redact ??= redactor({ secrets })
    // Truncate after redaction: a truncated secret would not be found.
    const text = Buffer.from(redact(unredacted))
      .subarray(0, sandboxLimits.logBytes - bytes)
      .toString()
    bytes += Buffer.byteLength(text) + 1
    lines.push({ level, text })
  }
  return { lines, log }
}

/** Whether a JSON value is nested at most `levels` deep. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1)))

/** Parses the result of a run. A breach if the result is too large, too deep or not JSON. */
export function parseResult(text: string): { value: unknown } | { breach: 'output'; message: string } {
  const breach = { breach: 'output', message: breachMessages.output } as const
  if (Buffer.byteLength(text) > sandboxLimits.resultBytes) return breach
  try {
    const value = JSON.parse(text) as unknown
    return isShallow(value, sandboxLimits.depth) ? { value } : breach
  } catch {
    return breach
  }
}

export const breachResult = (breach: LimitBreach | 'params', logs: LogLine[] = []): RunResult => ({
  breach,
  message: breachMessages[breach],
  logs,
})
