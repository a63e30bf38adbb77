/** What a token may do (security.md, Tokens). */
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
export type Scope = (typeof scopes)[number]
