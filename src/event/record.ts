import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Keyring } from '#account/keyring.ts'
import type { CallTexts } from '#consent/text/textConsent.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Location } from '#geo/locate.ts'

/** The facts of a request that are stored with its body. All decisions of the delivery worker use these. */
export type EventContext = {
  /**
   * Absent for events. `user`: an update of user data (`/user`, `/data`). `consent`: an update of consent (`/consent`).
   */
  kind?: 'user' | 'consent'
  tagId: string
  teamId: string
  /** The user of the events, or of the first event if `userIds` is set. Use `userIdAt`. */
  userId: string
  /** One user per event of the body, if a server sent several events without a user id. */
  userIds?: readonly string[]
  /** True if the request sent the user id; false if the id was generated. */
  hasExplicitUserId: boolean
  /** The request carried a valid access token with `event:write`. */
  trusted: boolean
  receivedAt: number
  ip?: string
  /** The caller's location from the headers of the trusted CDN. */
  place?: Location
  userAgent?: string
  origin?: string
  /** `Sec-GPC: 1` */
  gpc?: true
  /** The consent texts from the headers and the cookie of the call. */
  callTexts?: readonly CallTexts[]
  /** The span of the request (W3C Trace Context), if its trace is sampled. Deliveries link to it. */
  traceparent?: string
  /** A plugin created the event from another event. */
  isMadeByCode?: true
  /** The scripts whose code sent the event, the first one first. The event is delivered to none of them. */
  originScriptIds?: readonly string[]
  /** The preview whose call stored this user update: no channel gets it. */
  preview?: string
  /** The indexes of the erased events in the body. Only their id, name and timestamp remain. */
  erased?: readonly number[]
}

/** One request of a record: its context and its parsed body. */
export type RecordPart = { context: EventContext; body: unknown }

/** `bytes`: the uncompressed length of both as JSON. */
export type SizedRecordPart = RecordPart & { bytes: number }

/** The same before sealing, with the body as received. */
export type RawRecordPart = { context: EventContext; body: Uint8Array }

/** One event of a record, with its user and the context of its request. */
export type RecordEvent = { event: TagEvent; context: EventContext; userId: string; isErased: boolean }

const partHead = 8

/** Shorter records are put together here: a new buffer for each costs a twentieth of the intake of fifty events. */
const scratch = Buffer.allocUnsafeSlow(128 * 1_024)

/**
 * A shorter record is stored uncompressed: compression would cost more than the saved bytes. Requests under load share a
 * record.
 */
const minCompressed = 4_096
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
/** The first four bytes of a Zstandard frame (RFC 8878). No context has this length. */
const zstdMagic = 0xfd2fb528

/**
 * Seals the requests that one tag received at about the same time as one record, under the team's key. One record for
 * many requests is cheaper, because sealing and writing cost more per record than per byte. Format per request: `[4
 * bytes length of the context][4 bytes length of the body][context JSON][body JSON]`, lengths in little endian; a long
 * record is compressed with Zstandard.
 */
export function sealRecord(
  parts: readonly RawRecordPart[],
  { tagId, teamId }: Pick<EventContext, 'tagId' | 'teamId'>,
  keys: Keyring,
): Uint8Array {
  const heads = parts.map(({ context }) => JSON.stringify(context))
  const lengths = heads.map((head) => Buffer.byteLength(head))
  let size = 0
  for (const [n, { body }] of parts.entries()) size += partHead + lengths[n]! + body.length
  const plain = size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size)
  let at = 0
  for (const [n, { body }] of parts.entries()) {
    plain.writeUInt32LE(lengths[n]!, at)
    plain.writeUInt32LE(body.length, at + 4)
    at += partHead
    at += plain.write(heads[n]!, at)
    plain.set(body, at)
    at += body.length
  }
  return keys.team(teamId).sealEvent(size < minCompressed ? plain : zstdCompressSync(plain, fast), tagId)
}

/** Decrypts a record into its requests, in order of arrival. Throws if the record belongs to another tag or team. */
export function openRecord(payload: Uint8Array, tagId: string, teamId: string, keys: Keyring): SizedRecordPart[] {
  const opened = keys.team(teamId).openEvent(payload, tagId)
  const plain = opened.readUInt32LE(0) === zstdMagic ? zstdDecompressSync(opened) : opened
  const parts: SizedRecordPart[] = []
  for (let at = 0; at < plain.length; ) {
    const bodyAt = at + partHead + plain.readUInt32LE(at)
    const end = bodyAt + plain.readUInt32LE(at + 4)
    const context = JSON.parse(plain.toString('utf8', at + partHead, bodyAt)) as EventContext
    parts.push({ context, body: JSON.parse(plain.toString('utf8', bodyAt, end)), bytes: end - at })
    at = end
  }
  return parts
}

/** The events of a body, as an array. */
export const eventsOf = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body])

/** All events of a record. An event's index in this list is its `index` in the stream. */
export const recordEvents = (parts: readonly RecordPart[]): RecordEvent[] =>
  parts.flatMap(({ context, body }) =>
    (eventsOf(body) as readonly TagEvent[]).map((event, index) => ({
      event,
      context,
      userId: userIdAt(context, index),
      isErased: context.erased?.includes(index) ?? false,
    })),
  )

/** The user of the event at this index of a body. */
export const userIdAt = ({ userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>, index: number): string =>
  userIds?.[index] ?? userId
