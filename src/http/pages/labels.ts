import type { Role } from '#contract/account.ts'

/** What a role is called and may do, and what its holder can do first in a team. */
export const roleLabels: Readonly<Record<Role, { name: string; says: string; next: readonly string[] }>> = {
  owner: {
    name: 'Owner',
    says: 'may do everything, people and applications included',
    next: [
      'Create a tag and connect a channel.',
      'Invite the others on the page Members.',
      'Register an application to call the API.',
    ],
  },
  editor: {
    name: 'Editor',
    says: 'works with tags, scripts and events',
    next: ['Create a tag and connect a channel.', 'Send a test event and see where it went.'],
  },
  viewer: {
    name: 'Viewer',
    says: 'reads everything and changes nothing',
    next: [
      'See the events of a tag, and what became of each.',
      'Ask an owner of the team for another role to change something.',
    ],
  },
}
