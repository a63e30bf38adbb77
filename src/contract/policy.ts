import type { Operation } from './operation.ts'
import { OptionalFlag, OptionalText, OptionalTime, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'

export const policyTypes = ['TERMS_AND_CONDITIONS', 'PRIVACY_POLICY', 'DATA_PROCESSING_AGREEMENT'] as const
export type PolicyType = (typeof policyTypes)[number]

const PolicyType = Type.Enum([...policyTypes])
const Version = Type.String({ minLength: 1, maxLength: 100 })

/** The policy that a team accepts: a type and a version. */
export const PolicyName = Type.Object({ policyType: PolicyType, version: Version })
export type PolicyName = Static<typeof PolicyName>

const PolicyAccepted = Type.Object({})

/** The URL of a policy's text. */
export const PolicyUrl = Type.String({
  maxLength: 2_000,
  pattern: patterns.httpsUrl,
  documented: { format: 'uri', pattern: '^https://[^#@\\s]+$' },
  description: 'the https URL of the text of the policy',
})

/** A policy, and whether, when and by whom a team has accepted it. */
export const Policy = Type.Object({
  policyType: PolicyType,
  version: Type.Optional(Version),
  accepted: Type.Boolean({ description: 'whether the calling team has accepted this version' }),
  url: Type.Optional(PolicyUrl),
  required: OptionalFlag('whether a team must accept the latest version'),
  acceptedAt: OptionalTime('when the team accepted it, epoch ms'),
  by: OptionalText('the id of the token or the person that accepted it'),
})
export type Policy = Static<typeof Policy>

export const policyOperations = {
  readLatestPolicies: {
    method: 'GET',
    path: '/policy/latest',
    summary: 'The latest version of each policy',
    access: ['policy:read'],
    query: Type.Object({
      policyType: Type.Optional(Type.String({ maxLength: 100, description: 'only this type' })),
    }),
    response: Type.Object({ policies: Type.Array(PolicyName) }),
    faults: ['policyIdMissing', 'policyNotFound'],
  },
  readPolicy: {
    method: 'GET',
    path: '/policy/{policyId}',
    summary: 'The latest version of a policy type, or the version of TYPE@version, and whether the team accepted it',
    access: ['policy:read'],
    response: Policy,
    faults: ['policyIdMissing', 'policyNotFound'],
  },
  acceptPolicy: {
    method: 'POST',
    path: '/policy',
    summary: 'Accepts a version of a policy for the team; this cannot be undone',
    access: ['policy:accept'],
    body: PolicyName,
    response: PolicyAccepted,
    faults: ['policyNotFound'],
  },
} as const satisfies Record<string, Operation>
