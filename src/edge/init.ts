import type { OutgoingHttpHeaders } from 'node:http'
import { mapsOf } from '#consent/consent.ts'
import type { CaptureRule, ChannelRow, ConsentMaps, Init } from '#contract/edge.ts'
import type { Capture } from '#user/capture.ts'
import type { NamedUser } from '#user/name.ts'
import type { Profile } from '#user/profile.ts'
import { type Visit, visit } from '#user/session.ts'
import type { Call } from './edge.ts'
import { refuseNavigation } from './gate.ts'
import { nameCaller, setCookie } from './people.ts'

/**
 * `GET /init`: a page begins. It learns who its user is and which channels there are, and the user is made if it is new.
 * An id that only the address names (`?userId=`) sets no cookie: whoever wrote the address knows the id, and could read
 * later what is learnt under it. Throws navigationRefused.
 */
export async function takeInit(call: Call, _body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  refuseNavigation(call.request)
  const named = nameCaller(call)
  const { isNewUser, profile, isNewSession } = await greet(call, named)
  const consent = consentOf(call.tag, profile)
  const result = await Promise.all(call.tag.scripts.map((script) => rowOf(call, script)))
  if (!named.fromQuery) setCookie(call, named.userId, call.request.headers.host, headers)
  const session = { sessionId: profile.session!.sessionId, isNewSession }
  return JSON.stringify({ result, userId: named.userId, isNewUser, session, consent } satisfies Init)
}

/** Who comes is known from now on. */
async function greet({ edge, tag }: Call, { userId }: NamedUser): Promise<Visit & { isNewUser: boolean }> {
  const now = edge.on.clock.now()
  let greeted: (Visit & { isNewUser: boolean }) | undefined
  await edge.on.people.change({ tag, userId }, (known) => {
    greeted = { ...visit(known, now), isNewUser: known === undefined }
    return greeted.profile
  })
  return greeted!
}

const everything: ConsentMaps = { consent: { all: true } }

/**
 * What the user has agreed to; all of it where the tag asks for no consent. `?consentDisabled=true` of the original
 * service's clients changes nothing: only the setting of the tag switches consent off.
 */
const consentOf = (tag: Call['tag'], { consent }: Profile): ConsentMaps | null =>
  tag.consent === 'disabled' ? everything : consent ? mapsOf(consent) : null

/** A channel, also one that does nothing in the page: a client drops the events of channels that it is not told of. */
async function rowOf({ edge, tag, request }: Call, script: Call['tag']['scripts'][number]): Promise<ChannelRow> {
  const { variables, captures, providers } = edge.on
  const { providerId, purchaseValueMode } = script
  // a provider that this build lacks gets nothing, and is let nothing do
  const { consent = ['advertising'], hasBrowserModule } = providers[providerId] ?? {}
  const category = script.consentCategory ?? consent[0]!
  const isRefused = tag.gpc && request.headers['sec-gpc'] === '1' && category === 'advertising'
  return {
    package: providerId,
    category,
    variables: await variables(tag, script),
    rules: { capture: (await captures.ofScript(tag, script)).flatMap(rulesOf) },
    purchaseValueMode,
    ...(hasBrowserModule && { inPage: true }),
    ...(isRefused && { refused: true }),
  }
}

/** Whatever is captured is sent on to the edge, where it outlives the page. */
const rulesOf = ({ query, cookie }: Capture): CaptureRule[] => [
  ...(query ? [{ type: 'query', key: query, persist: 'edge' } as const] : []),
  ...(cookie ? [{ type: 'storage', key: cookie, persist: 'edge', location: 'cookie' } as const] : []),
]
