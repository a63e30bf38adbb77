import type { Role } from '#contract/account.ts'

export const roleLabels: Readonly<Record<Role, string>> = {
  owner: 'Owner: may do everything, people and applications included',
  editor: 'Editor: works with tags, scripts and events',
  viewer: 'Viewer: looks on',
}
