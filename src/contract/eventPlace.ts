import { type Static, Type } from './schema.ts'

/** The location of the event: ISO 3166-1 country, ISO 3166-2 region where known, and the source. */
export const Place = Type.Object({
  country: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  source: Type.Enum(['request', 'payload', 'user', 'unknown']),
})
export type Place = Static<typeof Place>
