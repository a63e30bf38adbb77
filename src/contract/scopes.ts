/** The scopes of a customer's token. */
export const scopes = [
  'script:read',
  'script:write',
  'script:delete',
  'secret:write',
  'policy:read',
  'policy:accept',
  'manifest:read',
  'tag:read',
  'tag:write',
  'deploy',
  'hook:read',
  'hook:write',
  'event:read',
  'event:write',
  'replay:read',
  'replay:write',
  'order:read',
  'order:write',
  'user:read',
  'user:erase',
  'member:read',
  'application:write',
  'audit:read',
] as const
/** Additional scopes of the operator's own token. */
export const operatorScopes = ['application:approve'] as const

export const everyScope = [...scopes, ...operatorScopes] as const
export type Scope = (typeof everyScope)[number]
/** The scopes of a customer's application. */
export type CustomerScope = (typeof scopes)[number]

/** What a scope allows, in plain words. */
export const scopeLabels: Readonly<Record<Scope, string>> = {
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
  'order:read': 'See the orders of the shop and what became of them',
  'order:write': 'Add orders of the shop and send what is missing',
  'user:read': 'See what is known of a visitor',
  'user:erase': 'Erase a visitor',
  'member:read': 'See the people of the team',
  'application:write': 'Manage applications, tokens and people of the team',
  'audit:read': 'See who changed what',
  'application:approve': 'Approve applications',
}

/** The words in an OAuth `scope` parameter that are not scopes. */
export const findUnknownScopes = (parameter: string): string[] =>
  parameter.split(' ').filter((each) => each !== '' && !(scopes as readonly string[]).includes(each))
