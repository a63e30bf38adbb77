import { hash } from 'node:crypto'
import { idFrom, idTime } from '#kit/id.ts'
import type { EventSession } from '#provider/form/request.ts'
import type { Profile, StoredSession } from './profile.ts'

/** A session ends after this time without activity. */
const idleMs = 30 * 60_000
/** The activity of a session is written at most once in this time, so a session may end this much early. */
const writeMs = 5 * 60_000
/** A page's clock may be behind the server's by this much. */
const clockSkewMs = 5 * 60_000

export type SessionUpdate = { profile: Profile; isNewSession: boolean }

/** The session id of a user for this start time (epoch ms). All processes compute the same id. */
const sessionIdOf = (userId: string, startedAt: number): string =>
  idFrom('ses', startedAt, hash('sha256', `session ${userId} ${startedAt}`, 'buffer'))

const hasEnded = ({ at }: StoredSession, now: number) => now - at >= idleMs || now < at - idleMs

/** Records a visit of a user at `now` (epoch ms). Returns the same profile object if nothing needs to be written. */
export function updateSession(known: Profile | undefined, userId: string, now: number): SessionUpdate {
  const before = known ?? { keys: {}, custom: {}, captured: {}, seenAt: now }
  const session = before.session
  const isNewSession = !session || hasEnded(session, now)
  if (!isNewSession && now - session.at < writeMs) return { profile: before, isNewSession }
  const { previous: _, ...last } = session ?? {}
  const next: StoredSession = isNewSession
    ? { sessionId: sessionIdOf(userId, now), at: now, ...('at' in last && { previous: last }) }
    : { ...session, at: now }
  return { profile: { ...before, session: next, seenAt: Math.max(now, before.seenAt) }, isNewSession }
}

/**
 * Records an event of a user's browser as activity, at its time by the page's clock (epoch ms) but no later than the
 * server received it. An event that waited longer than a session lasts does not count as activity.
 */
export function touchSession(
  profile: Profile,
  userId: string,
  { timestamp, receivedAt }: { timestamp: number; receivedAt: number },
): Profile {
  const at = Math.min(timestamp, receivedAt)
  const isOld = receivedAt - at >= idleMs || (profile.session !== undefined && at < profile.session.at)
  return isOld ? profile : updateSession(profile, userId, at).profile
}

/**
 * The session in which an event happened (epoch ms): the user's current or previous one; undefined outside both. Each
 * attempt to deliver an event gets the same session, until two later sessions have begun.
 */
export function sessionAt(session: StoredSession | undefined, timestamp: number): EventSession | undefined {
  if (!session) return undefined
  const sessions = session.previous ? [session, session.previous] : [session]
  for (const { sessionId, at } of sessions) {
    const startedAt = idTime(sessionId)
    if (startedAt === undefined) continue
    if (timestamp >= startedAt - clockSkewMs && timestamp < at + idleMs) return { sessionId, startedAt }
  }
  return undefined
}
