import { callTextsOf } from '#consent/text/callTexts.ts'
import { consentKey } from '#consent/text/consentKey.ts'
import { callTextNotes, textNotes } from '#consent/text/textNotes.ts'
import { customerIdOf } from '#contract/customerId.ts'
import type { StoredResponse } from '#contract/edgeResponses.ts'
import { badRequest } from '#contract/fault.ts'
import { Nullable, Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import { parseObject } from '#event/parseBody.ts'
import type { IdentifiedUser } from '#user/callerIdentity.ts'
import type { EdgeCall } from './edge.ts'
import { identifyRequestCaller } from './identifyUser.ts'
import { postUserUpdate } from './userUpdate.ts'

const ConsentInput = Nullable(Type.Record(Type.String(), Type.Unknown()))
const checkConsent = compileValidator(
  Type.Object({ consentString: ConsentInput, consentCategories: ConsentInput, consentTexts: ConsentInput }),
)

/**
 * `POST /consent`: stores the consent of the user whose id the call sends. A trusted call without an id stores the
 * consent of the user with the customer id or e-mail in the body. Throws badRequest.
 */
export async function postConsent(call: EdgeCall, body: Buffer): Promise<string> {
  // the browser SDK sends the same map under both names
  const { consentString, consent: _, consentCategories, consentTexts, ...more } = parseObject(body)
  const issues = [...checkConsent({ consentString, consentCategories, consentTexts })]
  if (issues.length === 0 && !consentString && !consentCategories && !consentTexts)
    issues.push({ path: 'consentString', message: 'is required unless consentCategories or consentTexts is present' })
  if (issues.length > 0) throw badRequest(...issues)
  const caller = identifyRequestCaller(call)
  if (!caller.hasExplicitUserId && !(call.trusted && namesUser(more)))
    return JSON.stringify({ result: { status: 'ignored' } } satisfies StoredResponse)
  const isNew = await appendConsent(call, caller, { consent: consentString, consentCategories, consentTexts }, more)
  const { hasExplicitUserId, userId } = caller
  const status = isNew ? 'accepted' : 'duplicate'
  const warnings = notesOf(call, consentTexts)
  const result = { status, ...(hasExplicitUserId && { userId }), ...(warnings.length > 0 && { warnings }) } as const
  return JSON.stringify({ result } satisfies StoredResponse)
}

function notesOf({ edge, request }: EdgeCall, consentTexts: unknown): string[] {
  const now = edge.deps.clock.now()
  const own = textNotes({ storage: { consent: { consentTexts } }, timestamp: now }, 'consent')
  return [...new Set([...own, ...callTextNotes(callTextsOf(request.headers, edge.textHeaders), now)])]
}

const namesUser = ({ userEmail, userCustomerId }: Record<string, unknown>) =>
  (typeof userEmail === 'string' && userEmail.trim() !== '') || customerIdOf(userCustomerId) !== undefined

/** Appends a consent in the field where an event carries its consent. False for a duplicate. */
function appendConsent(
  call: EdgeCall,
  caller: IdentifiedUser,
  maps: { consent?: unknown; consentCategories?: unknown; consentTexts?: unknown },
  more: Record<string, unknown> = {},
): Promise<boolean> {
  const storage = { [consentKey(call.edge.deps.brand)]: maps }
  return postUserUpdate(call, caller, 'consent', { ...more, storage })
}
