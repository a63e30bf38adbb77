import { placeOfConsent } from '#consent/consent.ts'
import type { Stored } from '#contract/edge.ts'
import { badRequest } from '#contract/fault.ts'
import { check, Nullable, Type } from '#contract/schema.ts'
import type { NamedUser } from '#user/name.ts'
import type { Call } from './edge.ts'
import { nameCaller } from './people.ts'
import { keepSaid, readSaid, saying } from './said.ts'

const Given = Nullable(Type.Record(Type.String(), Type.Unknown()))
const checkConsent = check(Type.Object({ consentString: Given, consentCategories: Given }))

/**
 * `POST /consent`: stores what a user agrees to: who presents an id, and of a trusted call that presents none the user of the
 * e-mail that it names. Throws badRequest.
 */
export async function takeConsent(call: Call, body: Buffer): Promise<string> {
  const { consentString, consentCategories, ...more } = readSaid(body)
  const issues = [...checkConsent({ consentString, consentCategories })]
  if (issues.length === 0 && !consentString && !consentCategories)
    issues.push({ path: 'consentString', message: 'is required, or consentCategories' })
  if (issues.length > 0) throw badRequest(...issues)
  const named = nameCaller(call)
  if (!named.presented && !(call.trusted && hasEmail(more)))
    return JSON.stringify({ result: { status: 'ignored' } } satisfies Stored)
  const isFresh = await keepConsent(call, named, { consent: consentString, consentCategories }, more)
  const { presented, userId } = named
  const status = isFresh ? 'accepted' : 'duplicate'
  return JSON.stringify({ result: presented ? { status, userId } : { status } } satisfies Stored)
}

const hasEmail = ({ userEmail }: Record<string, unknown>) => typeof userEmail === 'string' && userEmail.trim() !== ''

/** Keeps a consent as an event that brings it: where the consent of an event stands. False for a repeat. */
function keepConsent(
  call: Call,
  named: NamedUser,
  maps: { consent?: unknown; consentCategories?: unknown },
  more: Record<string, unknown> = {},
): Promise<boolean> {
  const { brand, clock } = call.edge.on
  const storage = { [placeOfConsent(brand)]: maps }
  return keepSaid(call, named, 'consent', saying('consent', { ...more, storage }, clock.now()))
}
