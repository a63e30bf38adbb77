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

function asJson(line: Record<string, unknown>, level: string): string {
  try {
    return JSON.stringify(line, (_, value) => jsonValue(value, level))
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
