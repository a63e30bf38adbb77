import type { OperationId, OperationInput, OperationResponse, operations } from '../operations.ts'

type OperationMap = typeof operations
type ExampleBody<O> = unknown extends OperationInput<O, 'body'> ? unknown : { body: OperationInput<O, 'body'> }

/** The example of an operation: a body and a response with the operation's types. */
type OperationExample<Id extends OperationId> = ExampleBody<OperationMap[Id]> & {
  response: OperationResponse<OperationMap[Id]>
}
export type OperationExamples = { readonly [Id in OperationId]?: OperationExample<Id> }

/** Ids and names that several examples use, by the name of their path or query field. */
export const exampleValues = {
  teamId: 'team_01kahr3m5we7tbs9d2q6n4x0vz',
  tagId: 'tag_01kahr3m5we7tbs9d2q6n4x1ab',
  scriptId: 'scr_01kahr3m5we7tbs9d2q6n4x2cd',
  secretId: 'sec_01kahr3m5we7tbs9d2q6n4x3ef',
  hookId: 'hook_01kahr3m5we7tbs9d2q6n4x4gh',
  replayId: 'rep_01kahr3m5we7tbs9d2q6n4xawx',
  previewId: 'prv_01kahr3m5we7tbs9d2q6n4xbyz',
  deliveryId: 'dlv_01kahr3m5we7tbs9d2q6n4x5jk',
  applicationId: 'app_01kahr3m5we7tbs9d2q6n4x6mn',
  tokenId: 'tok_01kahr3m5we7tbs9d2q6n4x7pq',
  personId: 'per_01kahr3m5we7tbs9d2q6n4x8rs',
  sessionId: 'ses_7Hq2mXc9Rb1tYw4Kd8Ln3G',
  deviceId: 'dev_7Hq2mXc9Rb1tYw4Kd8Ln3G',
  invitationId: 'inv_01kahr3m5we7tbs9d2q6n4x9tv',
  userId: 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d',
  eventId: 'order-1001',
  orderId: '1001',
  policyId: 'TERMS_AND_CONDITIONS',
  policyType: 'TERMS_AND_CONDITIONS',
  number: 3,
  of: 'event',
  limit: 50,
  cursor: 'Mw',
  name: 'ops',
} as const

/** Epoch ms: 2026-11-20, 10:00 UTC. */
export const at = Date.UTC(2026, 10, 20, 10)
export const createdAt = '2026-11-20'
