/** What a token of a customer may do. */
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
  'hook:write',
  'event:read',
  'event:write',
  'replay:write',
  'user:read',
  'user:erase',
  'application:write',
  'audit:read',
] as const
/** What only a token that the operator made for itself may do besides. */
export const operatorScopes = ['application:approve'] as const

export const everyScope = [...scopes, ...operatorScopes] as const
export type Scope = (typeof everyScope)[number]
/** What a customer's application may ask for. */
export type CustomerScope = (typeof scopes)[number]
