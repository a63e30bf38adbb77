import { newId } from '#kit/id.ts'
import type { Profile } from './profile.ts'

/** A session ends after this time without activity. */
const idleMs = 30 * 60_000
/** The activity of a session is written at most once in this time, so a session may end this much earlier. */
const writeMs = 5 * 60_000

export type SessionUpdate = { profile: Profile; isNewSession: boolean }

/** Records a page visit at `now` (epoch ms). Returns the same profile object if nothing has to be written. */
export function updateSession(known: Profile | undefined, now: number): SessionUpdate {
  const before = known ?? { keys: {}, custom: {}, captured: {}, seenAt: now }
  const session = before.session
  const isNewSession = !session || now - session.at >= idleMs || now < session.at - idleMs
  if (!isNewSession && now - session.at < writeMs) return { profile: before, isNewSession }
  const sessionId = isNewSession ? newId('ses', now) : session.sessionId
  return { profile: { ...before, session: { sessionId, at: now }, seenAt: Math.max(now, before.seenAt) }, isNewSession }
}
