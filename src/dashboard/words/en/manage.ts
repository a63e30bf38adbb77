import type { Role } from '#contract/account.ts'
import { plural } from '../format.ts'

const roleNames: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' }

/** Texts that the pages of settings and of governance share. */
export const manageWords = {
  actor: (by: string) =>
    ({ operator: 'the operator', aglet: 'Aglet' })[by] ?? (by.startsWith('tok_') ? `token\u00A0…${by.slice(-6)}` : by),
  actions: 'Actions',
  more: 'Load more',
  role: (role: Role) => roleNames[role],
  roleText: {
    owner: 'Everything, including members and roles',
    editor: 'Tags, channels, events and visitors',
    viewer: 'Reads, without visitors and the audit',
  } satisfies Record<Role, string>,
  hookErrors: 'Your hooks refused the deployment:',
  changedTitle: 'Someone else changed this',
  changedText: 'It was saved since you opened it. What you changed is still in the form.',
  field: 'Setting',
  mine: 'Yours',
  theirs: 'Saved now',
  keepMine: 'Overwrite with mine',
  takeTheirs: 'Load theirs',
}

/** Texts of members and invitations. */
export const memberWords = {
  intro: 'The people of this team and their roles.',
  person: 'Person',
  role: 'Role',
  you: 'you',
  invite: 'Invite',
  inviteTitle: 'Invite a person',
  inviteText: 'You get a link that works once.',
  emailHint: 'Optional. If this server sends mail, the link is mailed there. It is shown to you in any case.',
  expires: 'The link works for',
  lives: { '1d': '1 day', '7d': '7 days', '30d': '30 days' },
  create: 'Create the link',
  linkTitle: 'The invitation',
  linkMailed:
    'A mail with this link is on its way. The link is shown only once. The first person who opens it joins the team.',
  linkNote: 'Copy the link now: it is shown only once. The first person who opens it joins the team.',
  link: 'Link',
  invitations: 'Open invitations',
  noInvitations: 'No open invitations',
  changeRole: (name: string) => `Role of ${name}`,
  changeTitle: (name: string, role: Role) =>
    `Make ${name} ${role === 'viewer' ? 'a' : 'an'} ${roleNames[role].toLowerCase()}?`,
  changeText: 'The access that this person granted to applications ends.',
  change: 'Change the role',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'The person loses access at once. What the person did stays in the audit.',
  leave: 'Leave the team',
  members: (n: number) => plural(n, 'person', 'people'),
}
