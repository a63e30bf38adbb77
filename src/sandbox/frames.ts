import type { Readable } from 'node:stream'
import { jsonOf } from '#contract/jsonOf.ts'

/** A message to the child. Code is sent once before its runs; an answer belongs to a call of the current run. */
export type ParentMessage =
  | { is: 'code'; code: string; name: string }
  | { is: 'run'; id: number; resultKind: ResultKind; calls: readonly string[]; params: string }
  | { is: 'answer'; call: number; value: string }
  | { is: 'answer'; call: number; error: string }

/** The kind of the function's result: a `Response`, or any JSON value. */
export type ResultKind = 'response' | 'value'

export type LimitBreach = 'cpu' | 'wall' | 'memory' | 'output' | 'died'

/**
 * A message of the child. It is untrusted, because the code may have escaped its isolate; only `ready` is sent before
 * the child gets code. `permission`: Node's permission model denies the child access to files and processes.
 */
export type ChildMessage =
  | { is: 'ready'; permission: boolean }
  | { is: 'log'; id: number; level: 'log' | 'error'; text: string }
  | { is: 'call'; id: number; call: number; name: string; args: string }
  | { is: 'done'; id: number; result: string }
  | { is: 'done'; id: number; error: ThrownError }
  | { is: 'done'; id: number; breach: LimitBreach }

/** An error that the code threw. */
export type ThrownError = { name: string; message: string; stack: string }

const newline = 10

/** Reads lines of JSON. If a line exceeds the limit, `onTooLong` is called once, and all further input is discarded. */
export function readFrames(
  from: Readable,
  frameBytes: number,
  onFrame: (frame: unknown) => void,
  onTooLong: () => void,
) {
  let parts: Buffer[] = []
  let size = 0
  const handleChunk = (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      parts = []
      size = 0
      start = end + 1
      onFrame(jsonOf(line.toString()))
    }
    if (start === chunk.length) return
    parts.push(chunk.subarray(start))
    size += chunk.length - start
    if (size <= frameBytes) return
    from.off('data', handleChunk)
    from.resume()
    onTooLong()
  }
  from.on('data', handleChunk)
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
const breaches = new Set<unknown>(['cpu', 'wall', 'memory', 'output', 'died'] satisfies LimitBreach[])

/** Validates a frame of a child. Undefined if it is invalid. */
export function parseChildMessage(frame: unknown): ChildMessage | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined
  const fields = frame as Record<string, unknown>
  const { is, id } = fields
  if (is === 'ready') return typeof fields.permission === 'boolean' ? { is, permission: fields.permission } : undefined
  if (!isNumber(id)) return undefined
  if (is === 'log' && isText(fields.text))
    return { is, id, level: fields.level === 'error' ? 'error' : 'log', text: fields.text }
  if (is === 'call' && isNumber(fields.call) && isText(fields.name) && isText(fields.args))
    return { is, id, call: fields.call, name: fields.name, args: fields.args }
  if (is !== 'done') return undefined
  if (isText(fields.result)) return { is, id, result: fields.result }
  if (breaches.has(fields.breach)) return { is, id, breach: fields.breach as LimitBreach }
  const error = parseThrownError(fields.error)
  return error && { is, id, error }
}

function parseThrownError(value: unknown): ThrownError | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, message, stack } = value as Record<string, unknown>
  return isText(name) && isText(message) && isText(stack) ? { name, message, stack } : undefined
}
