import { inspect } from 'node:util'

/** One wide line per thing that happened: a received event, an attempt, a change, a bug. */
export type Log = (line: { level?: 'info' | 'warn' | 'error'; message: string } & Record<string, unknown>) => void

export const silent: Log = () => {}

/** A stack belongs to a bug, and a bug is logged as an error; elsewhere the message says enough. */
const errorText = (error: Error, level: string) => (level === 'error' ? (error.stack ?? error.message) : error.message)

function jsonValue(value: unknown, level: string): unknown {
  if (value instanceof Error) return errorText(value, level)
  return typeof value === 'bigint' ? `${value}` : value
}

const isPlain = (line: Record<string, unknown>) =>
  Object.values(line).every((value) => typeof value !== 'object' && typeof value !== 'bigint')

function asJson(line: Record<string, unknown>, level: string): string {
  try {
    // To look at each value costs five times as much: most lines are flat, and hold nothing that JSON does not know.
    return isPlain(line) ? JSON.stringify(line) : JSON.stringify(line, (_, value) => jsonValue(value, level))
  } catch {
    // A circle, or a value whose toJSON throws: what it was about is still worth its line.
    return JSON.stringify({ at: line.at, level, message: line.message })
  }
}

function asText({ at, level, message, ...rest }: Record<string, unknown>): string {
  const fields = Object.entries(rest).map(([name, value]) => {
    const shown = value instanceof Error ? errorText(value, `${level}`) : value
    return `${name}=${typeof shown === 'string' ? shown : inspect(shown, { breakLength: Number.POSITIVE_INFINITY })}`
  })
  return [`${at}`.slice(11, 19), level, message, ...fields].join(' ')
}

/** A log of one line per call: JSON for machines, or text for a person at a terminal. A Secret prints as `•••`. */
export function lineLog(on: { write(line: string): void; now(): number; isText?: boolean }): Log {
  const form = on.isText ? asText : asJson
  return ({ level = 'info', message, ...rest }) =>
    on.write(`${form({ at: new Date(on.now()).toISOString(), level, message, ...rest }, level)}\n`)
}

/**
 * Lines of one turn of the event loop, written at once: to write to a pipe keeps everything waiting. `flush` is for the end
 * of the process.
 */
export function linesTogether(write: (lines: string) => void): { write(line: string): void; flush(): void } {
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
