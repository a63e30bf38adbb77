import { Name, type Static, Type } from './schema.ts'

/** `example.com`: what the tag's cookie and default origins are derived from. A loopback name is for development. */
const Domain = Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.-]+$' })
const Consent = Type.Enum(['enabled', 'disabled'])
const SameSite = Type.Enum(['Lax', 'Strict', 'None'])
const ServerToken = Type.Enum(['optional', 'required'])
const Origin = Type.String({ maxLength: 300, pattern: '^https?://[^/]+$' })
export const TagPlugin = Type.Object({
  plugin: Type.String(),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

export const TagWrite = Type.Object({
  name: Name,
  domain: Domain,
  allowedOrigins: Type.Optional(Type.Array(Origin, { maxItems: 100 })),
  consent: Type.Optional(Consent),
  gpc: Type.Optional(Type.Boolean()),
  sameSite: Type.Optional(SameSite),
  serverToken: Type.Optional(ServerToken),
})
export type TagWrite = Static<typeof TagWrite>

/** A website or app as GET /tag/{tagId} shows it (decisions.md, Control API, Shapes). */
export const Tag = Type.Object({
  tagId: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  tagUrl: Type.String(),
  hosts: Type.Array(Type.String()),
  allowedOrigins: Type.Array(Type.String()),
  consent: Consent,
  gpc: Type.Boolean(),
  sameSite: SameSite,
  serverToken: ServerToken,
  plugins: Type.Array(TagPlugin),
  createdAt: Type.String({ format: 'date' }),
})
export type Tag = Static<typeof Tag>
export const TagList = Type.Object({ tags: Type.Array(Tag), next: Type.Optional(Type.String()) })
