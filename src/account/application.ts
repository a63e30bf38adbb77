import type { ApplicationWrite, Application as ShownApplication } from '#contract/account.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { type CustomerScope, type Scope, scopes } from '#contract/scopes.ts'
import { fullDate } from '#kit/fullDate.ts'
import { isPlainHost } from '#kit/hostName.ts'
import { newId } from '#kit/id.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { isLoopback } from '#settings/settings.ts'
import type { ApplicationRecord, IssuedToken } from '#store/accounts.ts'
import { Conflict } from '#store/store.ts'
import { type AccountDeps, type AuditActor, auditChange, revokeChanges } from './accountDeps.ts'
import { generateClientSecret } from './clientSecret.ts'
import { hashSecret } from './oneTimeSecret.ts'
import { refuseEscalation, type ScopeHolder } from './privilege.ts'
import { createToken, parseDuration } from './token.ts'

const maxTokens = 2

/** The characters of a URI (RFC 3986). Other characters may mislead a person who approves it. */
const isUri = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/** Only https, or http on a loopback address: any other redirect could be intercepted. */
function isAllowedRedirectUri(text: string): boolean {
  const url = isUri.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url || text.includes('#') || url.username || url.password) return false
  if (!isPlainHost(url.hostname)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

const redirectIssue = 'must be a valid https URL, or http on a loopback address'

/** Throws badRequest with every issue. */
function refuseInvalidApplication({ redirectUris: uris, isPublic }: ApplicationWrite): void {
  const redirectUris = uris ?? []
  const issues = redirectUris
    .map((uri, at) => ({ uri, path: `redirectUris.${at}`, message: redirectIssue }))
    .filter(({ uri }) => !isAllowedRedirectUri(uri))
    .map(({ path, message }) => ({ path, message }))
  if (isPublic && redirectUris.length === 0)
    issues.push({ path: 'redirectUris', message: 'is required if isPublic is true' })
  if (issues.length > 0) throw badRequest(...issues)
}

/**
 * Registers an application of a team. Only this result contains its secret. Throws scopeMissing, badRequest, nameTaken.
 */
export async function createApplication(
  deps: AccountDeps,
  teamId: string,
  write: ApplicationWrite,
  holder: ScopeHolder,
): Promise<{ application: ApplicationRecord; clientSecret?: string }> {
  await refuseEscalation(deps, write.scopes, holder, { what: 'createApplication', teamId })
  refuseInvalidApplication(write)
  const createdAt = deps.clock.now()
  const secret = write.isPublic ? undefined : generateClientSecret()
  const application: ApplicationRecord = {
    applicationId: newId('app', createdAt),
    teamId,
    name: write.name.trim(),
    redirectUris: [...new Set(write.redirectUris ?? [])],
    scopes: scopes.filter((scope) => write.scopes.includes(scope)),
    ...(secret && { secretHash: hashSecret(deps.keys, 'client', secret) }),
    createdAt,
  }
  const { applicationId, name, redirectUris, scopes: granted } = application
  const after = { name, redirectUris, scopes: granted }
  await deps.store
    .write([
      { account: { add: 'application', row: application } },
      auditChange(deps, holder, { what: 'createApplication', teamId, object: applicationId, after }),
    ])
    .catch((error) => {
      throw error instanceof Conflict && error.unique === 'application.name' ? fault('nameTaken') : error
    })
  return { application, ...(secret && { clientSecret: secret }) }
}

/** Allows an application of any team to get tokens. Idempotent. Throws applicationUnknown. */
export async function approveApplication(
  deps: AccountDeps,
  applicationId: string,
  who: AuditActor,
): Promise<ApplicationRecord> {
  const application = await deps.store.accounts.application(applicationId)
  if (!application) throw fault('applicationUnknown')
  if (application.approvedAt !== undefined) return application
  const at = deps.clock.now()
  await deps.store.write([
    { account: { approve: 'application', applicationId, at } },
    auditChange(deps, who, {
      what: 'approveApplication',
      teamId: application.teamId,
      object: applicationId,
      before: { status: 'pending' },
      after: { status: 'approved' },
    }),
  ])
  return { ...application, approvedAt: at }
}

export const showApplication = (application: ApplicationRecord, tokens: readonly IssuedToken[]): ShownApplication => ({
  applicationId: application.applicationId,
  name: application.name,
  scopes: application.scopes,
  redirectUris: application.redirectUris,
  isPublic: application.secretHash === undefined,
  status: application.approvedAt === undefined ? 'pending' : 'approved',
  createdAt: fullDate(application.createdAt),
  tokens: [...tokens],
})

/** Serialises the token requests of an application, so that concurrent ones do not exceed `maxTokens`. */
const withLock = keyedMutex()

/** Throws badRequest with the scopes that the application is not registered with. */
function refuseUnregistered(request: readonly Scope[], granted: readonly Scope[]): void {
  const unregistered = request.filter((scope) => !granted.includes(scope))
  if (unregistered.length > 0)
    throw badRequest({ path: 'scopes', message: `the application is not registered for ${unregistered.join(', ')}` })
}

/**
 * Issues an access token of an approved application. Both the application and the caller must have its scopes.
 * Throws applicationUnknown, applicationNotApproved, badRequest, scopeMissing and tooManyTokens.
 */
export async function issueToken(
  deps: AccountDeps,
  { applicationId, teamId, approvedAt, scopes: granted }: ApplicationRecord,
  request: { scopes: readonly CustomerScope[]; expires?: string | null },
  holder: ScopeHolder,
): Promise<IssuedToken & { token: string }> {
  if (approvedAt === undefined) throw fault('applicationNotApproved')
  refuseUnregistered(request.scopes, granted)
  const attempt = { what: 'createApplicationToken', teamId, object: applicationId }
  await refuseEscalation(deps, request.scopes, holder, attempt)
  const expiresInMs = request.expires == null ? undefined : parseDuration(request.expires)
  return withLock(applicationId, async () => {
    const issued = () => deps.store.accounts.issuedTokens(applicationId, deps.clock.now())
    if (!(await deps.store.accounts.application(applicationId))) throw fault('applicationUnknown')
    if ((await issued()).length >= maxTokens) throw fault('tooManyTokens')
    const token = { teamId, application: applicationId, scopes: request.scopes }
    const created = await createToken(
      deps,
      { ...token, ...(expiresInMs !== undefined && { expiresInMs }) },
      holder.by,
      holder.from,
    )
    return { ...(await issued()).find(({ tokenId }) => tokenId === created.tokenId)!, token: created.token }
  })
}

/** Deletes an application, revokes its tokens and deletes every grant to it. Throws scopeMissing. */
export const removeApplication = (
  deps: AccountDeps,
  application: ApplicationRecord,
  holder: ScopeHolder,
): Promise<void> =>
  withLock(application.applicationId, async () => {
    const { applicationId, teamId, name, redirectUris, scopes: granted } = application
    await refuseEscalation(deps, granted, holder, { what: 'deleteApplication', teamId, object: applicationId })
    const before = { name, redirectUris, scopes: granted }
    await deps.store.write([
      ...revokeChanges(deps, { of: 'application', applicationId }),
      { account: { drop: 'application', applicationId } },
      auditChange(deps, holder, { what: 'deleteApplication', teamId, object: applicationId, before }),
    ])
  })
