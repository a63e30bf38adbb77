import type { Keyring } from '#account/keyring.ts'
import { eventsIn, type KeptEvent, openRecord } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Leased, Stream } from '#stream/stream.ts'

/** A body of the stream, opened. */
export type Body = { position: number; bytes: number; events: readonly KeptEvent[] }

/** Throws when it does not open or is not JSON. */
export function openBody(
  { position, payload }: Pick<Leased, 'position' | 'payload'>,
  { tagId, teamId }: Pick<Snapshot, 'tagId' | 'teamId'>,
  keys: Keyring,
): Body {
  return { position, bytes: payload.length, events: eventsIn(openRecord(payload, tagId, teamId, keys)) }
}

/** How much of sealed bodies is kept open: in memory it is some ten times as much. What goes is read again when it is needed. */
const keptBytes = 4 * 1024 * 1024

/** Bodies at hand, the newest ones, each with what was made of it, and how often it will be asked for. */
export type Kept<Made> = { body: Body; made: Map<number, Made>; uses: number }
export type Shelf<Made> = {
  get(position: number): Kept<Made> | undefined
  keep(body: Body): Kept<Made>
  /** It is asked for so many times: kept for longer, it would only grow old in memory. Until that is said it stays. */
  expect(position: number, uses: number): void
  used(position: number): void
}

export function keepBodies<Made>(stream: Pick<Stream, 'rewritten'>): Shelf<Made> {
  const kept = new Map<number, Kept<Made>>()
  let bytes = 0
  let rewritten = stream.rewritten()

  function drop(position: number): void {
    bytes -= kept.get(position)?.body.bytes ?? 0
    kept.delete(position)
  }
  return {
    get(position) {
      // Of a body that was read before something was erased, it may be that which must not be kept.
      if (rewritten !== stream.rewritten()) for (const each of [...kept.keys()]) drop(each)
      rewritten = stream.rewritten()
      return kept.get(position)
    },
    keep(body) {
      const fresh = { body, made: new Map(), uses: Number.POSITIVE_INFINITY }
      drop(body.position)
      kept.set(body.position, fresh)
      bytes += body.bytes
      for (const oldest of kept.keys()) {
        if (bytes <= keptBytes || oldest === body.position) break
        drop(oldest)
      }
      return fresh
    },
    expect(position, uses) {
      const each = kept.get(position)
      if (each) each.uses = uses
      if (uses === 0) drop(position)
    },
    used(position) {
      const each = kept.get(position)
      if (each && --each.uses === 0) drop(position)
    },
  }
}
