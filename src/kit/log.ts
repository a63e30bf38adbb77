import { inspect } from 'node:util'
import { sourceTrace } from './sourceTrace.ts'

/** Writes one structured line for each occurrence: a received event, an attempt, a change, an error. */
export type Log = (line: { level?: 'info' | 'warn' | 'error'; message: string } & Record<string, unknown>) => void

export const silentLog: Log = () => {}

/** The text of an error: its stack at the level `error`, else only its message. */
const errorText = (error: Error, level: string) =>
  level === 'error' && error.stack ? sourceTrace(error.stack) : error.message

function jsonValue(value: unknown, level: string): unknown {
  if (value instanceof Error) return errorText(value, level)
  return typeof value === 'bigint' ? `${value}` : value
}

function isPlain(line: object): boolean {
  for (const name in line) {
    const type = typeof (line as Record<string, unknown>)[name]
    if (type === 'object' || type === 'bigint') return false
  }
  return true
}

type Line = Parameters<Log>[0]

/** The members of an object, as JSON without its braces. A replacer function makes it five times slower. */
const members = (line: object, level: string): string =>
  (isPlain(line) ? JSON.stringify(line) : JSON.stringify(line, (_, value) => jsonValue(value, level))).slice(1, -1)

function asJson(at: string, line: Line): string {
  const { level = 'info', message } = line
  const begin = `{"at":"${at}","level":"${level}",`
  try {
    return `${begin}${members('level' in line ? { ...line, level: undefined } : line, level)}}`
  } catch {
    // A circular value, or one whose toJSON throws: the line is written without its fields.
    return `${begin}${members({ message }, level)}}`
  }
}

function asText(at: string, { level = 'info', message, ...rest }: Line): string {
  const fields = Object.entries(rest).map(([name, value]) => {
    const shown = value instanceof Error ? errorText(value, `${level}`) : value
    return `${name}=${typeof shown === 'string' ? shown : inspect(shown, { breakLength: Number.POSITIVE_INFINITY })}`
  })
  return [at.slice(11, 19), level, message, ...fields].join(' ')
}

/** Creates a log that writes one line for each call, as JSON or, with `isText`, as text. A Secret prints as `•••`. */
export function createLog(deps: { write(line: string): void; now(): number; isText?: boolean }): Log {
  const form = deps.isText ? asText : asJson
  let last = { now: Number.NaN, text: '' }
  /** Lines of one millisecond share its text. */
  const timeText = (now: number) => {
    if (now !== last.now) last = { now, text: new Date(now).toISOString() }
    return last.text
  }
  return (line) => deps.write(`${form(timeText(deps.now()), line)}\n`)
}

/**
 * Collects the lines of one turn of the event loop into one write, because a write to a pipe blocks. Call `flush`
 * before the process ends.
 */
export function coalesceLines(write: (lines: string) => void): { write(line: string): void; flush(): void } {
  let lines = ''
  const flush = () => {
    if (lines !== '') write(lines)
    lines = ''
  }
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
    },
    flush,
  }
}

/** Writes to standard error, for code that gets no log as a dependency. */
export const processLog = createLog({
  write: (line) => void process.stderr.write(line),
  now: Date.now,
  isText: process.stderr.isTTY,
})
