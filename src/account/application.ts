import type { ApplicationWrite, Application as ShownApplication } from '#contract/account.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { type CustomerScope, type Scope, scopes } from '#contract/scopes.ts'
import { isLoopback } from '#contract/settings.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import { turns } from '#kit/turns.ts'
import type { Application, IssuedToken } from '#store/accounts.ts'
import { Conflict } from '#store/store.ts'
import { mintClientSecret } from './clientSecret.ts'
import { secretHash } from './oneTime.ts'
import { type Holder, refuseEscalation } from './privilege.ts'
import { createToken, parseDuration } from './token.ts'
import { type AccountWorld, auditOf, type Who } from './world.ts'

const mostTokens = 2

/** The address that people are sent back to must be one that nobody in between can take: https, or this machine. */
function isRedirectUri(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || text.includes('#') || url.username || url.password) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/** Throws badRequest with everything that is wrong. */
function refuseBadApplication({ redirectUris: given, isPublic }: ApplicationWrite): void {
  const redirectUris = given ?? []
  const issues = redirectUris
    .map((uri, at) => ({ uri, path: `redirectUris.${at}`, message: 'must be https, or http on a loopback address' }))
    .filter(({ uri }) => !isRedirectUri(uri))
    .map(({ path, message }) => ({ path, message }))
  if (isPublic && redirectUris.length === 0)
    issues.push({ path: 'redirectUris', message: 'is required where isPublic is true' })
  if (issues.length > 0) throw badRequest(...issues)
}

/** Registers an application of a team. Its secret is shown here once. Throws scopeMissing, badRequest and nameTaken. */
export async function createApplication(
  on: AccountWorld,
  teamId: string,
  write: ApplicationWrite,
  holder: Holder,
): Promise<{ application: Application; clientSecret?: string }> {
  await refuseEscalation(on, write.scopes, holder, { what: 'createApplication', teamId })
  refuseBadApplication(write)
  const createdAt = on.clock.now()
  const secret = write.isPublic ? undefined : mintClientSecret()
  const application: Application = {
    applicationId: newId('app', createdAt),
    teamId,
    name: write.name.trim(),
    redirectUris: [...new Set(write.redirectUris ?? [])],
    scopes: scopes.filter((scope) => write.scopes.includes(scope)),
    ...(secret && { secretHash: secretHash(on.keys, 'client', secret) }),
    createdAt,
  }
  const { applicationId, name, redirectUris, scopes: granted } = application
  const after = { name, redirectUris, scopes: granted }
  await on.store
    .write([
      { account: { add: 'application', row: application } },
      auditOf(on, holder, { what: 'createApplication', teamId, object: applicationId, after }),
    ])
    .catch((error) => {
      throw error instanceof Conflict && error.unique === 'application.name' ? fault('nameTaken') : error
    })
  return { application, ...(secret && { clientSecret: secret }) }
}

/** Lets an application of any team ask for tokens. Throws applicationUnknown. */
export async function approveApplication(on: AccountWorld, applicationId: string, who: Who): Promise<Application> {
  const application = await on.store.accounts.application(applicationId)
  if (!application) throw fault('applicationUnknown')
  if (application.approvedAt !== undefined) return application
  const at = on.clock.now()
  await on.store.write([
    { account: { approve: 'application', applicationId, at } },
    auditOf(on, who, {
      what: 'approveApplication',
      teamId: application.teamId,
      object: applicationId,
      before: { status: 'pending' },
      after: { status: 'approved' },
    }),
  ])
  return { ...application, approvedAt: at }
}

export const showApplication = (application: Application, tokens: readonly IssuedToken[]): ShownApplication => ({
  applicationId: application.applicationId,
  name: application.name,
  scopes: application.scopes,
  redirectUris: application.redirectUris,
  isPublic: application.secretHash === undefined,
  status: application.approvedAt === undefined ? 'pending' : 'approved',
  createdAt: fullDate(application.createdAt),
  tokens: [...tokens],
})

/** Tokens of one application are issued one after the other: more than two at once must not slip through. */
const inTurn = turns()

/** A scope that the application was not registered with is refused by name. Throws badRequest. */
function refuseUnregistered(asked: readonly Scope[], granted: readonly Scope[]): void {
  const beyond = asked.filter((scope) => !granted.includes(scope))
  if (beyond.length > 0)
    throw badRequest({ path: 'scopes', message: `the application was not registered with ${beyond.join(', ')}` })
}

/**
 * Issues an access token of an approved application: no more than it was registered with and no more than the caller
 * holds. Throws applicationUnknown, applicationNotApproved, badRequest, scopeMissing and tooManyTokens.
 */
export async function issueToken(
  on: AccountWorld,
  { applicationId, teamId, approvedAt, scopes: granted }: Application,
  asked: { scopes: readonly CustomerScope[]; expires?: string | null },
  holder: Holder,
): Promise<IssuedToken & { token: string }> {
  if (approvedAt === undefined) throw fault('applicationNotApproved')
  refuseUnregistered(asked.scopes, granted)
  const attempt = { what: 'createApplicationToken', teamId, object: applicationId }
  await refuseEscalation(on, asked.scopes, holder, attempt)
  const expiresInMs = asked.expires == null ? undefined : parseDuration(asked.expires)
  return inTurn(applicationId, async () => {
    const issued = () => on.store.accounts.issuedTokens(applicationId, on.clock.now())
    if (!(await on.store.accounts.application(applicationId))) throw fault('applicationUnknown')
    if ((await issued()).length >= mostTokens) throw fault('tooManyTokens')
    const wanted = { teamId, application: applicationId, scopes: asked.scopes }
    const made = await createToken(
      on,
      { ...wanted, ...(expiresInMs !== undefined && { expiresInMs }) },
      holder.by,
      holder.from,
    )
    return { ...(await issued()).find(({ tokenId }) => tokenId === made.tokenId)!, token: made.token }
  })
}

/** Ends an application with every token and every access that anybody gave it. Throws scopeMissing. */
export const removeApplication = (on: AccountWorld, application: Application, holder: Holder): Promise<void> =>
  inTurn(application.applicationId, async () => {
    const { applicationId, teamId, name, redirectUris, scopes: granted } = application
    await refuseEscalation(on, granted, holder, { what: 'deleteApplication', teamId, object: applicationId })
    const before = { name, redirectUris, scopes: granted }
    const ending = { of: 'application', applicationId } as const
    await on.store.write([
      { account: { revoke: 'tokens', ending, at: on.clock.now() } },
      { account: { drop: 'artifacts', ending } },
      { account: { drop: 'application', applicationId } },
      auditOf(on, holder, { what: 'deleteApplication', teamId, object: applicationId, before }),
    ])
  })
