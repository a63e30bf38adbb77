import type { Keyring } from '#account/keyring.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Located } from '#geo/locate.ts'

/** What the door knows of a request, kept with its body: all that is decided later is decided from this. */
export type EventContext = {
  /** What the body is; absent: events for the channels. `user`: what became known of a person. `consent`: what it agreed to. */
  kind?: 'user' | 'consent'
  tagId: string
  teamId: string
  /** Who the events are of; where `userIds` stands, who the first one is of. Read it by `userOf`. */
  userId: string
  /** One for each event of the body, where a server sent several people's events in one body and named none of them. */
  userIds?: readonly string[]
  /** The id came with the call; otherwise it was made for it. */
  presented: boolean
  /** The call bore an access token with `event:write`. */
  trusted: boolean
  receivedAt: number
  ip?: string
  /** Where the trusted CDN in front says that the caller is. */
  place?: Located
  userAgent?: string
  origin?: string
  /** `Sec-GPC: 1` */
  gpc?: true
  /** A plugin made it of another event. */
  made?: true
  /** Code of these scripts made it, the first maker first: it goes to none of them. */
  makers?: readonly string[]
  /** The places in its body of the events that were erased: nothing but their names are left of them. */
  erased?: readonly number[]
}

/** What one request brought, opened: its body is the JSON that came, parsed. */
export type Part = { context: EventContext; body: unknown }

/** The same on its way in: the body as the bytes that came. */
export type RawPart = { context: EventContext; body: Uint8Array }

/** One event of a record, whose it is, and what the door knew of its request. */
export type KeptEvent = { event: TagEvent; context: EventContext; userId: string; isErased: boolean }

const partHead = 8

/**
 * What came to one tag at about the same time, sealed as one under the team's key: sealing and writing cost by the piece
 * more than by the byte. For each request `[4 bytes length of the context][4 bytes length of the body][context JSON][body JSON]`.
 */
export function sealRecord(
  parts: readonly RawPart[],
  { tagId, teamId }: Pick<EventContext, 'tagId' | 'teamId'>,
  keys: Keyring,
): Uint8Array {
  const heads = parts.map(({ context }) => JSON.stringify(context))
  const lengths = heads.map((head) => Buffer.byteLength(head))
  let size = 0
  for (const [n, { body }] of parts.entries()) size += partHead + lengths[n]! + body.length
  const plain = Buffer.allocUnsafe(size)
  let at = 0
  for (const [n, { body }] of parts.entries()) {
    plain.writeUInt32LE(lengths[n]!, at)
    plain.writeUInt32LE(body.length, at + 4)
    at += partHead
    at += plain.write(heads[n]!, at)
    plain.set(body, at)
    at += body.length
  }
  return keys.team(teamId).sealEvent(plain, tagId)
}

/** The parts of a record, in the order they came. Throws when it does not open. */
export function openRecord(payload: Uint8Array, tagId: string, teamId: string, keys: Keyring): Part[] {
  const plain = keys.team(teamId).openEvent(payload, tagId)
  const parts: Part[] = []
  for (let at = 0; at < plain.length; ) {
    const bodyAt = at + partHead + plain.readUInt32LE(at)
    const end = bodyAt + plain.readUInt32LE(at + 4)
    const context = JSON.parse(plain.toString('utf8', at + partHead, bodyAt)) as EventContext
    parts.push({ context, body: JSON.parse(plain.toString('utf8', bodyAt, end)) })
    at = end
  }
  return parts
}

/** The events of a body: an array as it is, a single one as an array of one. */
export const eventsOf = (body: unknown): readonly unknown[] => (Array.isArray(body) ? body : [body])

/** All events of a record: an event's place in this list is its index in the stream. */
export const eventsIn = (parts: readonly Part[]): KeptEvent[] =>
  parts.flatMap(({ context, body }) =>
    (eventsOf(body) as readonly TagEvent[]).map((event, place) => ({
      event,
      context,
      userId: userOf(context, place),
      isErased: context.erased?.includes(place) ?? false,
    })),
  )

/** Who the event at this place of a body is of. */
export const userOf = ({ userId, userIds }: Pick<EventContext, 'userId' | 'userIds'>, place: number): string =>
  userIds?.[place] ?? userId
