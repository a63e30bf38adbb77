import type { OperationId } from '#contract/operations.ts'

/** How an operation of the API is called on the command line; its options follow from its row. */
export type ApiCommand = {
  words: string
  /** What a person is shown of the answer, in this order; everything that is plain, unless it is said. */
  shows?: readonly string[]
  /** The member of the answer that is shown. */
  of?: string
}

/** Every operation that a command calls as it is. */
export const apiCommands: { readonly [Id in OperationId]?: ApiCommand } = {
  createScript: { words: 'script create' },
  listScripts: {
    words: 'script list',
    shows: ['scriptId', 'name', 'providerId', 'consentCategory', 'geoRegions', 'purchaseValueMode', 'paused'],
  },
  readScript: { words: 'script get' },
  updateScript: { words: 'script update' },
  deleteScript: { words: 'script delete' },
  pauseScript: { words: 'script pause' },
  resumeScript: { words: 'script resume' },
  createTag: { words: 'tag create' },
  listTags: { words: 'tag list', shows: ['tagId', 'name', 'domain', 'tagUrl', 'consent'] },
  readTag: { words: 'tag get' },
  updateTag: { words: 'tag update' },
  deleteTag: { words: 'tag delete' },
  deployTag: { words: 'deploy', shows: ['number', 'at', 'by'] },
  listDeployments: { words: 'deployment list', shows: ['number', 'at', 'by', 'isLive', 'activates'] },
  createHook: { words: 'hook create' },
  listHooks: { words: 'hook list' },
  deleteHook: { words: 'hook delete' },
  listAlerts: { words: 'alert list', shows: ['at', 'kind', 'scriptId', 'reason', 'count', 'since', 'tagId'] },
  createReplay: { words: 'replay' },
  listReplays: {
    words: 'replay list',
    shows: ['replayId', 'state', 'at', 'by', 'matched', 'replayed', 'from', 'to', 'statuses'],
  },
  readReplay: { words: 'replay get' },
  stopReplay: { words: 'replay stop' },
  listEvents: { words: 'event list' },
  readEvent: { words: 'event get' },
  listDeliveries: {
    words: 'delivery list',
    shows: ['receivedAt', 'eventName', 'eventId', 'scriptId', 'status', 'reason', 'attempts', 'httpStatus', 'nextAt'],
  },
  watchDeliveries: { words: 'live' },
  readStats: { words: 'stats', shows: ['events', 'deliveries', 'byScript', 'byEvent', 'byReason'] },
  readUser: { words: 'user get' },
  eraseUser: { words: 'user erase' },
  readLatestPolicies: { words: 'policy latest' },
  readPolicy: { words: 'policy get' },
  acceptPolicy: { words: 'policy accept' },
  listAudit: { words: 'audit', shows: ['at', 'by', 'what', 'object', 'from'] },
  createApplication: { words: 'application create' },
  listApplications: { words: 'application list' },
  rotateClientSecret: { words: 'application secret' },
  deleteApplication: { words: 'application delete' },
  createApplicationToken: { words: 'application token' },
  deleteToken: { words: 'token delete' },
  listMembers: { words: 'member list' },
  updateMember: { words: 'member update' },
  deleteMember: { words: 'member delete' },
  createInvitation: { words: 'invitation create' },
  listInvitations: { words: 'invitation list' },
  deleteInvitation: { words: 'invitation delete' },
  readManifest: { words: 'manifest', of: 'providers', shows: ['value', 'label', 'stage', 'consentCategory'] },
  readMe: { words: 'me', shows: ['teamId', 'environment', 'application', 'scopes', 'tags'] },
  readKeys: { words: 'keys', shows: ['kid', 'alg'] },
}
