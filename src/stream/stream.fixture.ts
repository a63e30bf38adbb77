import type { Clock } from '#kit/clock.ts'
import type { Stream, StreamEntry } from './stream.ts'

/** The storage of an adapter. Opening it again returns a stream with the same content. */
export type StreamStorage = { open(clock: Clock): Promise<Stream>; remove(): Promise<void> }

export const dayMs = 86_400_000
export const start = Date.UTC(2026, 10, 20, 12)

/** An entry whose events have these keys. */
export const entry = (keys: readonly bigint[], payload = 'body', others?: readonly bigint[]): StreamEntry => {
  return { tagId: 'tag_1', keys, payload: new Uint8Array(Buffer.from(payload)), ...(others && { others }) }
}
export const textOf = (payload: Uint8Array) => Buffer.from(payload).toString()
