import { invitationUrl, invite, openInvitations, showInvitation, takeBack } from '#account/invitation.ts'
import { inviterOf } from '#account/inviter.ts'
import { changeRole, membersOf, removeMember } from '#account/member.ts'
import { holderOf } from '#account/privilege.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

export const listMembers: Of<'listMembers'> = async ({ access }, on) => ({
  members: await membersOf(on, access.teamId),
})

export const updateMember: Of<'updateMember'> = async ({ params: { personId }, body: { role }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  const member = await changeRole(on, { teamId, personId, role }, holderOf(access, from))
  on.log({ message: 'changed', what: 'updateMember', by, teamId, object: personId })
  return member
}

export const deleteMember: Of<'deleteMember'> = async ({ params: { personId }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  await removeMember(on, teamId, personId, holderOf(access, from))
  on.log({ message: 'changed', what: 'deleteMember', by, teamId, object: personId })
  return { personId }
}

export const createInvitation: Of<'createInvitation'> = async ({ body: { role, expires }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  const asked = { teamId, role, ...(expires != null && { expires }) }
  const holder = { ...holderOf(access, from), inviter: await inviterOf(on, access) }
  const { invitation, secret } = await invite(on, asked, holder)
  on.log({ message: 'changed', what: 'createInvitation', by, teamId, object: invitation.invitationId })
  return { ...showInvitation(invitation), url: invitationUrl(on.baseUrl, secret) }
}

export const listInvitations: Of<'listInvitations'> = async ({ access }, on) => ({
  invitations: (await openInvitations(on, access.teamId)).map(showInvitation),
})

export const deleteInvitation: Of<'deleteInvitation'> = async ({ params: { invitationId }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  await takeBack(on, teamId, invitationId, holderOf(access, from))
  on.log({ message: 'changed', what: 'deleteInvitation', by, teamId, object: invitationId })
  return { invitationId }
}
