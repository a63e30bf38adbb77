import {
  approveApplication as approve,
  createApplication as create,
  issueToken,
  removeApplication,
  showApplication,
} from '#account/application.ts'
import { rotateClientSecret as rotate } from '#account/clientSecret.ts'
import { accessHolder, refuseEscalation } from '#account/privilege.ts'
import type { TeamAccess } from '#account/teamAccess.ts'
import { revokeToken } from '#account/token.ts'
import { fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { ApplicationRecord } from '#store/accounts.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { isBelow, toPageRequest } from './pagination.ts'

const toApplicationView = async (deps: ControlDeps, application: ApplicationRecord) =>
  showApplication(application, await deps.store.accounts.issuedTokens(application.applicationId, deps.clock.now()))

export const createApplication: AnswerFor<'createApplication'> = async ({ body, access, from }, deps) => {
  const { teamId, by } = access
  const { application, clientSecret } = await withChangeLock(`${teamId} applications`, async () => {
    const { applicationsPerTeam } = deps.limits
    if (!(await isBelow(applicationsPerTeam, (page) => deps.store.accounts.applications(teamId, page))))
      throw limitReached('tooManyApplications', applicationsPerTeam)
    return create(deps, teamId, body, accessHolder(access, from))
  })
  deps.log({ message: 'changed', what: 'createApplication', by, teamId, object: application.applicationId })
  return { ...showApplication(application, []), ...(clientSecret && { clientSecret }) }
}

export const listApplications: AnswerFor<'listApplications'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.accounts.applications(access.teamId, toPageRequest(query))
  const applications = await Promise.all(rows.map((row) => toApplicationView(deps, row)))
  return { applications, ...(next !== undefined && { next }) }
}

export const approveApplication: AnswerFor<'approveApplication'> = async ({ params, access, from }, deps) => {
  const application = await approve(deps, params.applicationId, { by: access.by, from })
  const { applicationId, teamId } = application
  deps.log({ message: 'changed', what: 'approveApplication', by: access.by, teamId, object: applicationId })
  return toApplicationView(deps, application)
}

async function requireOwnApplication(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  applicationId: string,
): Promise<ApplicationRecord> {
  const application = await deps.store.accounts.application(applicationId)
  if (application?.teamId !== teamId) throw fault('applicationUnknown')
  return application
}

export const rotateClientSecret: AnswerFor<'rotateClientSecret'> = async ({ params, body, access, from }, deps) => {
  const application = await requireOwnApplication(deps, access, params.applicationId)
  const { applicationId, teamId } = application
  const rotated = await rotate(deps, application, body.keepBefore ?? '24h', accessHolder(access, from))
  deps.log({ message: 'changed', what: 'rotateClientSecret', by: access.by, teamId, object: applicationId })
  return { applicationId, ...rotated }
}

export const deleteApplication: AnswerFor<'deleteApplication'> = async ({ params, access, from }, deps) => {
  const application = await requireOwnApplication(deps, access, params.applicationId)
  const { applicationId, teamId } = application
  await removeApplication(deps, application, accessHolder(access, from))
  deps.log({ message: 'changed', what: 'deleteApplication', by: access.by, teamId, object: applicationId })
  return { applicationId }
}

export const createApplicationToken: AnswerFor<'createApplicationToken'> = async (
  { params, body, access, from },
  deps,
) => {
  const application = await requireOwnApplication(deps, access, params.applicationId)
  const { teamId, by } = access
  deps.tokenRate.take(application.applicationId)
  const { token, tokenId, scopes, expiresAt } = await issueToken(deps, application, body, accessHolder(access, from))
  deps.log({ message: 'changed', what: 'createApplicationToken', by, teamId, object: tokenId })
  return { token, tokenId, scopes, expiresAt }
}

export const deleteToken: AnswerFor<'deleteToken'> = async ({ params: { tokenId }, access, from }, deps) => {
  const { teamId, by } = access
  const token = await deps.store.tokenById(tokenId)
  if (token?.teamId !== teamId) throw fault('tokenUnknown')
  await refuseEscalation(deps, token.scopes, accessHolder(access, from), {
    what: 'deleteToken',
    teamId,
    object: tokenId,
  })
  await revokeToken(deps, tokenId, by, from)
  deps.log({ message: 'changed', what: 'deleteToken', by, teamId, object: tokenId })
  return { tokenId }
}
