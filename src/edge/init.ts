import type { OutgoingHttpHeaders } from 'node:http'
import { withoutTime } from '#consent/consent.ts'
import { isAnswer } from '#consent/statedConsent.ts'
import { textsAnswer } from '#consent/text/consentTexts.ts'
import type { BrowserCaptureRule, BrowserChannel, ConsentMaps, InitResponse } from '#contract/edgeResponses.ts'
import type { IdentifiedUser } from '#user/callerIdentity.ts'
import type { CaptureSource } from '#user/captureRules.ts'
import type { Profile } from '#user/profile.ts'
import { type SessionUpdate, updateSession } from '#user/session.ts'
import type { EdgeCall } from './edge.ts'
import { identifyRequestCaller, setUserCookie } from './identifyUser.ts'
import { previewHeaderName, previewOf } from './preview.ts'
import { refuseNavigation } from './requestGuards.ts'

/**
 * `GET /init`: called when a page starts. Returns the tag's channels and the user, creating the user if new. An id that
 * comes only from the query (`?userId=`) sets no cookie: the author of the link knows the id, and could later read the
 * data stored under it. Throws navigationRefused.
 */
export async function getInit(call: EdgeCall, _body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  refuseNavigation(call.request)
  const caller = identifyRequestCaller(call)
  const { isNewUser, profile, isNewSession } = await recordVisit(call, caller)
  const consent = consentOf(call.tag, profile)
  const preview = previewHeaderName in call.request.headers && (await previewOf(call))
  const tag = preview ? await call.edge.deps.previews!.snapshotOf(call.tag, preview) : call.tag
  const result = await Promise.all(
    tag.scripts.map(async (script) => {
      const { inPage, ...channel } = await channelOf({ ...call, tag }, script)
      // in a preview no vendor's pixel runs, because it would send events
      return inPage && !preview ? { ...channel, inPage } : channel
    }),
  )
  if (!caller.fromQuery) setUserCookie(call, caller.userId, call.request.headers.host, headers)
  const session = { sessionId: profile.session!.sessionId, isNewSession }
  return JSON.stringify({ result, userId: caller.userId, isNewUser, session, consent } satisfies InitResponse)
}

/** Stores the visit in the user's profile. Creates the profile if there is none. */
async function recordVisit(
  { edge, tag }: EdgeCall,
  { userId }: IdentifiedUser,
): Promise<SessionUpdate & { isNewUser: boolean }> {
  const now = edge.deps.clock.now()
  let visit: (SessionUpdate & { isNewUser: boolean }) | undefined
  await edge.deps.profiles.change({ tag, userId }, (known) => {
    visit = { ...updateSession(known, userId, now), isNewUser: known === undefined }
    return visit.profile
  })
  return visit!
}

const allowAll: ConsentMaps = { consent: { all: true } }

/**
 * The user's stored consent; allows everything if the tag requires no consent. Ignores `?consentDisabled=true`, which
 * clients of the original service send: only the tag's setting disables consent. Omits a consent with a TC string: its maps
 * alone are incomplete, and the page has the full consent from its banner.
 */
const consentOf = (tag: EdgeCall['tag'], { consent }: Profile): ConsentMaps | null =>
  tag.consent === 'disabled'
    ? allowAll
    : consent && isAnswer(consent) && !(consent.texts && textsAnswer(consent.texts))
      ? withoutTime(consent)
      : null

/** A channel. Channels without a browser module are listed too, because a client drops events of unlisted channels. */
async function channelOf(
  { edge, tag, request }: EdgeCall,
  script: EdgeCall['tag']['scripts'][number],
): Promise<BrowserChannel> {
  const { variables, captures, providers } = edge.deps
  const { providerId, purchaseValueMode } = script
  // A provider that this build lacks has no consent categories. Advertising applies, because it is the strictest.
  const { consent = ['advertising'], hasBrowserModule } = providers[providerId] ?? {}
  const category = script.consentCategory ?? consent[0]!
  const isRefused = tag.gpc && request.headers['sec-gpc'] === '1' && category === 'advertising'
  return {
    package: providerId,
    category,
    variables: await variables(tag, script),
    rules: { capture: (await captures.ofScript(tag, script)).flatMap(captureRulesOf) },
    purchaseValueMode,
    ...(hasBrowserModule && { inPage: true }),
    ...(isRefused && { refused: true }),
  }
}

/** `persist: 'edge'`: the page sends the captured value to the edge, which stores it. */
const captureRulesOf = ({ query, cookie }: CaptureSource): BrowserCaptureRule[] => [
  ...(query ? [{ type: 'query', key: query, persist: 'edge' } as const] : []),
  ...(cookie ? [{ type: 'storage', key: cookie, persist: 'edge', location: 'cookie' } as const] : []),
]
