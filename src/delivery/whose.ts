import type { KeptEvent } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { People } from '#user/people.ts'
import { type Profile, type Said, saidIn } from '#user/profile.ts'
import type { CapturesOf } from './captures.ts'

/** Who an event is of: `own` is what is known by its user id, `joined` the other user who was known by its e-mail first. */
export type Whose = {
  userId: string
  said: Said
  own?: Profile
  joined?: { userId: string; profile: Profile }
  /** The user was erased after the event came in. */
  isErased: boolean
}

/** Looks up who an event is of. Of one whose id was just made for it nothing is known by that id. */
export async function whoseIs(
  { event, context, userId, isErased }: KeptEvent,
  tag: Snapshot,
  on: { people: People; captures: CapturesOf['ofTag'] },
): Promise<Whose> {
  const said = saidIn(event, await on.captures(tag), context.kind)
  const { profile: own, erasedAt = -1 } = context.presented ? await on.people.find({ tag, userId }) : {}
  const email = said.keys.email ?? own?.keys.email
  const found = email === undefined ? undefined : await on.people.byEmail(tag, email)
  const isGone = isErased || erasedAt >= context.receivedAt
  return {
    userId,
    said,
    isErased: isGone,
    ...(own && { own }),
    ...(found && found.userId !== userId && { joined: found }),
  }
}
