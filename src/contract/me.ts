import { OptionalText, type Static, Type } from './schema.ts'
import { everyScope } from './scopes.ts'

/** A public sealing key as a JWK (RFC 7517): RSA-3072, alg RSA-OAEP-256. */
export const SealingKey = Type.Object({
  kty: Type.Literal('RSA'),
  kid: Type.String(),
  use: Type.Literal('enc'),
  alg: Type.Literal('RSA-OAEP-256'),
  n: Type.String(),
  e: Type.String(),
})
export type SealingKey = Static<typeof SealingKey>
export const Jwks = Type.Object({ keys: Type.Array(SealingKey) })

export const environments = ['production', 'sandbox'] as const
export type EnvironmentName = (typeof environments)[number]

export const Me = Type.Object({
  teamId: Type.String(),
  environment: Type.Enum([...environments]),
  application: Type.String({ description: 'the application of the token; `session` for a signed-in person' }),
  personId: OptionalText('the signed-in person'),
  scopes: Type.Array(Type.Enum([...everyScope])),
  encryptionKey: SealingKey,
  hasPolicies: Type.Boolean({
    description: 'whether the operator has published a policy: GET /policy/latest lists it',
  }),
  tags: Type.Array(Type.Object({ tagId: Type.String(), name: Type.String(), tagUrl: Type.String() })),
})
export type Me = Static<typeof Me>
