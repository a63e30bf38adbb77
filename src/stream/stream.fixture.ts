import type { Clock } from '#kit/clock.ts'
import type { Entry, Stream } from './stream.ts'

/** Where an adapter keeps what it is given: opened twice, it is the same place. */
export type StreamHome = { open(clock: Clock): Promise<Stream>; remove(): Promise<void> }

export const dayMs = 86_400_000
export const start = Date.UTC(2026, 10, 20, 12)

/** A body whose events have these keys. */
export const entry = (keys: readonly bigint[], payload = 'body', others?: readonly bigint[]): Entry => {
  return { tagId: 'tag_1', keys, payload: new Uint8Array(Buffer.from(payload)), ...(others && { others }) }
}
export const textOf = (payload: Uint8Array) => Buffer.from(payload).toString()
