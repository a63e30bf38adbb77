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

/** The words of an OAuth `scope` parameter that name no scope. */
export const findUnknownScopes = (parameter: string): string[] =>
  parameter.split(' ').filter((each) => each !== '' && !(scopes as readonly string[]).includes(each))
