import { findOpenInvitations, invitationUrl, invite, revokeInvitation, showInvitation } from '#account/invitation.ts'
import { findInviter } from '#account/inviter.ts'
import { changeRole, readMembers, removeMember } from '#account/membership.ts'
import { accessHolder } from '#account/privilege.ts'
import type { AnswerFor } from './controlDeps.ts'

export const listMembers: AnswerFor<'listMembers'> = async ({ access }, deps) => ({
  members: await readMembers(deps, access.teamId),
})

export const updateMember: AnswerFor<'updateMember'> = async (
  { params: { personId }, body: { role }, access, from },
  deps,
) => {
  const { teamId, by } = access
  const member = await changeRole(deps, { teamId, personId, role }, accessHolder(access, from))
  deps.log({ message: 'changed', what: 'updateMember', by, teamId, object: personId })
  return member
}

export const deleteMember: AnswerFor<'deleteMember'> = async ({ params: { personId }, access, from }, deps) => {
  const { teamId, by } = access
  await removeMember(deps, teamId, personId, accessHolder(access, from))
  deps.log({ message: 'changed', what: 'deleteMember', by, teamId, object: personId })
  return { personId }
}

export const createInvitation: AnswerFor<'createInvitation'> = async (
  { body: { role, expires, email }, access, from, language },
  deps,
) => {
  const { teamId, by } = access
  const request = { teamId, role, ...(expires != null && { expires }) }
  const holder = { ...accessHolder(access, from), inviter: await findInviter(deps, access) }
  const { invitation, secret } = await invite(deps, request, holder)
  deps.log({ message: 'changed', what: 'createInvitation', by, teamId, object: invitation.invitationId })
  const url = invitationUrl(deps.baseUrl, secret)
  const isMailed = email != null && (await deps.mailInvitation({ teamId, to: email, url, language }))
  return { ...showInvitation(invitation), url, ...(email != null && { isMailed }) }
}

export const listInvitations: AnswerFor<'listInvitations'> = async ({ access }, deps) => ({
  invitations: (await findOpenInvitations(deps, access.teamId)).map(showInvitation),
})

export const deleteInvitation: AnswerFor<'deleteInvitation'> = async (
  { params: { invitationId }, access, from },
  deps,
) => {
  const { teamId, by } = access
  await revokeInvitation(deps, teamId, invitationId, accessHolder(access, from))
  deps.log({ message: 'changed', what: 'deleteInvitation', by, teamId, object: invitationId })
  return { invitationId }
}
