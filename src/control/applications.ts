import type { Access } from '#account/access.ts'
import {
  approveApplication as approve,
  createApplication as create,
  issueToken,
  removeApplication,
  showApplication,
} from '#account/application.ts'
import { rotateClientSecret as rotate } from '#account/clientSecret.ts'
import { holderOf, refuseEscalation } from '#account/privilege.ts'
import { revokeToken } from '#account/token.ts'
import { fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { Application } from '#store/accounts.ts'
import { isBelow, pageOf } from './page.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

const shown = async (on: ControlWorld, application: Application) =>
  showApplication(application, await on.store.accounts.issuedTokens(application.applicationId, on.clock.now()))

export const createApplication: Of<'createApplication'> = async ({ body, access, from }, on) => {
  const { teamId, tokenId: by } = access
  const { application, clientSecret } = await inTurn(`${teamId} applications`, async () => {
    const { applicationsPerTeam } = on.limits
    if (!(await isBelow(applicationsPerTeam, (page) => on.store.accounts.applications(teamId, page))))
      throw limitReached('tooManyApplications', applicationsPerTeam)
    return create(on, teamId, body, holderOf(access, from))
  })
  on.log({ message: 'changed', what: 'createApplication', by, teamId, object: application.applicationId })
  return { ...showApplication(application, []), ...(clientSecret && { clientSecret }) }
}

export const listApplications: Of<'listApplications'> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.accounts.applications(access.teamId, pageOf(query))
  const applications = await Promise.all(rows.map((row) => shown(on, row)))
  return { applications, ...(next !== undefined && { next }) }
}

export const approveApplication: Of<'approveApplication'> = async ({ params, access, from }, on) => {
  const application = await approve(on, params.applicationId, { by: access.tokenId, from })
  const { applicationId, teamId } = application
  on.log({ message: 'changed', what: 'approveApplication', by: access.tokenId, teamId, object: applicationId })
  return shown(on, application)
}

async function ownApplication(on: ControlWorld, { teamId }: Access, applicationId: string): Promise<Application> {
  const application = await on.store.accounts.application(applicationId)
  if (application?.teamId !== teamId) throw fault('applicationUnknown')
  return application
}

export const rotateClientSecret: Of<'rotateClientSecret'> = async ({ params, body, access, from }, on) => {
  const application = await ownApplication(on, access, params.applicationId)
  const { applicationId, teamId } = application
  const made = await rotate(on, application, body.keepBefore ?? '24h', holderOf(access, from))
  on.log({ message: 'changed', what: 'rotateClientSecret', by: access.tokenId, teamId, object: applicationId })
  return { applicationId, ...made }
}

export const deleteApplication: Of<'deleteApplication'> = async ({ params, access, from }, on) => {
  const application = await ownApplication(on, access, params.applicationId)
  const { applicationId, teamId } = application
  await removeApplication(on, application, holderOf(access, from))
  on.log({ message: 'changed', what: 'deleteApplication', by: access.tokenId, teamId, object: applicationId })
  return { applicationId }
}

export const createApplicationToken: Of<'createApplicationToken'> = async ({ params, body, access, from }, on) => {
  const application = await ownApplication(on, access, params.applicationId)
  const { teamId, tokenId: by } = access
  on.tokenRate.take(application.applicationId)
  const { token, tokenId, scopes, expiresAt } = await issueToken(on, application, body, holderOf(access, from))
  on.log({ message: 'changed', what: 'createApplicationToken', by, teamId, object: tokenId })
  return { token, tokenId, scopes, expiresAt }
}

export const deleteToken: Of<'deleteToken'> = async ({ params: { tokenId }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  const token = await on.store.tokenById(tokenId)
  if (token?.teamId !== teamId) throw fault('tokenUnknown')
  await refuseEscalation(on, token.scopes, holderOf(access, from), { what: 'deleteToken', teamId, object: tokenId })
  await revokeToken(on, tokenId, by, from)
  on.log({ message: 'changed', what: 'deleteToken', by, teamId, object: tokenId })
  return { tokenId }
}
