import type { Readable } from 'node:stream'

/** What we tell the child. The code goes once, the runs of it follow; an answer belongs to a call of the current run. */
export type ToChild =
  | { is: 'code'; code: string; name: string }
  | { is: 'run'; id: number; shape: Shape; calls: readonly string[]; params: string }
  | { is: 'answer'; call: number; value: string }
  | { is: 'answer'; call: number; error: string }

/** What the function gives: a `Response`, or any JSON value. */
export type Shape = 'response' | 'value'

export type Breach = 'cpu' | 'wall' | 'memory' | 'output' | 'died'

/** What a child says. Whoever reads it trusts none of it: the code may have broken out of its isolate. */
export type FromChild =
  | { is: 'ready' }
  | { is: 'log'; id: number; level: 'log' | 'error'; text: string }
  | { is: 'call'; id: number; call: number; name: string; args: string }
  | { is: 'done'; id: number; result: string }
  | { is: 'done'; id: number; error: Thrown }
  | { is: 'done'; id: number; breach: Breach }

/** An error as the code threw it. */
export type Thrown = { name: string; message: string; stack: string }

const newline = 10

/** Frames are lines of JSON. `onLong` is told once when a line passes the limit; then nothing more is read. */
export function readFrames(from: Readable, frameBytes: number, onFrame: (frame: unknown) => void, onLong: () => void) {
  let parts: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end))
      const line = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
      parts = []
      size = 0
      start = end + 1
      onFrame(parsed(line.toString()))
    }
    if (start === chunk.length) return
    parts.push(chunk.subarray(start))
    size += chunk.length - start
    if (size <= frameBytes) return
    from.off('data', take)
    from.resume()
    onLong()
  }
  from.on('data', take)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value)
const breaches = new Set<unknown>(['cpu', 'wall', 'memory', 'output', 'died'] satisfies Breach[])

/** The frame, or undefined where it has another form than a child of ours gives it. */
export function readFromChild(frame: unknown): FromChild | undefined {
  if (typeof frame !== 'object' || frame === null) return undefined
  const said = frame as Record<string, unknown>
  const { is, id } = said
  if (is === 'ready') return { is }
  if (!isNumber(id)) return undefined
  if (is === 'log' && isText(said.text))
    return { is, id, level: said.level === 'error' ? 'error' : 'log', text: said.text }
  if (is === 'call' && isNumber(said.call) && isText(said.name) && isText(said.args))
    return { is, id, call: said.call, name: said.name, args: said.args }
  if (is !== 'done') return undefined
  if (isText(said.result)) return { is, id, result: said.result }
  if (breaches.has(said.breach)) return { is, id, breach: said.breach as Breach }
  const error = readThrown(said.error)
  return error && { is, id, error }
}

function readThrown(value: unknown): Thrown | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { name, message, stack } = value as Record<string, unknown>
  return isText(name) && isText(message) && isText(stack) ? { name, message, stack } : undefined
}
