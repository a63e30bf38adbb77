import type { Role } from '#contract/account.ts'
import type { CustomerScope } from '#contract/scopes.ts'

/** The labels of scopes on the consent page. */
export const scopeLabels: Readonly<Record<CustomerScope, string>> = {
  'script:read': 'See the scripts and their settings',
  'script:write': 'Make and change scripts',
  'script:delete': 'Delete scripts',
  'secret:write': 'Set the secrets of scripts, and change code that reads them',
  'policy:read': 'See policies and which are accepted',
  'policy:accept': 'Accept policies for the team',
  'manifest:read': 'See which providers and versions there are',
  'tag:read': 'See tags and their settings',
  'tag:write': 'Make, change and delete tags',
  deploy: 'Put changes live and take them back',
  'hook:read': 'See the hooks that are called before deployments and for alerts',
  'hook:write': 'Set which addresses are asked before a deployment',
  'event:read': 'See events and what became of them',
  'event:write': 'Send events',
  'replay:read': 'See replays and their progress',
  'replay:write': 'Send past events again',
  'user:read': 'See what is known of a visitor',
  'user:erase': 'Erase a visitor',
  'member:read': 'See the people of the team',
  'application:write': 'Manage applications, tokens and people of the team',
  'audit:read': 'See who changed what',
}

export const roleLabels: Readonly<Record<Role, string>> = {
  owner: 'Owner: may do everything, people and applications included',
  editor: 'Editor: works with tags, scripts and events',
  viewer: 'Viewer: looks on',
}
