import { newId } from '#kit/id.ts'
import type { Profile } from './profile.ts'

/** A visit ends when nobody came for so long. */
const idleMs = 30 * 60_000
/** It is written down no more often than this that a visit goes on, so that it may end so much earlier. */
const writeMs = 5 * 60_000

export type Visit = { profile: Profile; isNewSession: boolean }

/** The profile of somebody who came to a page now (epoch ms): the one before, while nothing is to be written. */
export function visit(known: Profile | undefined, now: number): Visit {
  const before = known ?? { keys: {}, custom: {}, captured: {}, seenAt: now }
  const session = before.session
  const isNewSession = !session || now - session.at >= idleMs || now < session.at - idleMs
  if (!isNewSession && now - session.at < writeMs) return { profile: before, isNewSession }
  const sessionId = isNewSession ? newId('ses', now) : session.sessionId
  return { profile: { ...before, session: { sessionId, at: now }, seenAt: Math.max(now, before.seenAt) }, isNewSession }
}
