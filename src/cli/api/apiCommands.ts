import type { OperationId } from '#contract/operations.ts'

/** The command of an API operation. Its options are derived from the operation's row in `operations`. */
export type ApiCommand = {
  words: string
  /** The members of the response that are printed, in this order; by default every scalar member. */
  columns?: readonly string[]
  /** The only member of the response that is printed. */
  member?: string
}

/** The commands that call one operation each. */
export const apiCommands: { readonly [Id in OperationId]?: ApiCommand } = {
  createScript: { words: 'script create' },
  listScripts: {
    words: 'script list',
    columns: ['scriptId', 'name', 'providerId', 'consentCategory', 'geoRegions', 'purchaseValueMode', 'paused'],
  },
  readScript: { words: 'script get' },
  updateScript: { words: 'script update' },
  deleteScript: { words: 'script delete' },
  pauseScript: { words: 'script pause' },
  resumeScript: { words: 'script resume' },
  createTag: { words: 'tag create' },
  listTags: { words: 'tag list', columns: ['tagId', 'name', 'domain', 'tagUrl', 'consent'] },
  readTag: { words: 'tag get' },
  updateTag: { words: 'tag update' },
  deleteTag: { words: 'tag delete' },
  deployTag: { words: 'deploy', columns: ['number', 'at', 'by'] },
  listDeployments: { words: 'deployment list', columns: ['number', 'at', 'by', 'isLive', 'activates'] },
  createHook: { words: 'hook create' },
  listHooks: { words: 'hook list' },
  deleteHook: { words: 'hook delete' },
  listAlerts: { words: 'alert list', columns: ['at', 'kind', 'scriptId', 'reason', 'count', 'since', 'tagId'] },
  createReplay: { words: 'replay' },
  listReplays: {
    words: 'replay list',
    columns: ['replayId', 'state', 'at', 'by', 'matched', 'replayed', 'from', 'to', 'statuses'],
  },
  readReplay: { words: 'replay get' },
  stopReplay: { words: 'replay stop' },
  listEvents: { words: 'event list' },
  readEvent: { words: 'event get' },
  listDeliveries: {
    words: 'delivery list',
    columns: ['receivedAt', 'eventName', 'eventId', 'scriptId', 'status', 'reason', 'attempts', 'httpStatus', 'nextAt'],
  },
  watchDeliveries: { words: 'live' },
  readStats: { words: 'stats', columns: ['events', 'deliveries', 'byScript', 'byEvent', 'byReason'] },
  readTeamStats: { words: 'team stats', columns: ['from', 'to', 'step', 'tags'] },
  readFunnel: { words: 'funnel', columns: ['events', 'planned', 'parts', 'byScript'] },
  listChannels: {
    words: 'channel list',
    columns: ['scriptId', 'name', 'providerId', 'state', 'reason', 'nextAt', 'waiting', 'lastDeliveredAt'],
  },
  readIntake: { words: 'intake', columns: ['accepted', 'duplicate', 'rejected', 'refused', 'refusals', 'seen'] },
  exportTag: { words: 'tag export' },
  exportAudit: { words: 'team audit' },
  readUser: { words: 'user get' },
  eraseUser: { words: 'user erase' },
  readLatestPolicies: { words: 'policy latest' },
  readPolicy: { words: 'policy get' },
  acceptPolicy: { words: 'policy accept' },
  listAudit: { words: 'audit', columns: ['at', 'by', 'what', 'object', 'from'] },
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
  readTeam: { words: 'team get' },
  updateTeam: { words: 'team update' },
  readManifest: { words: 'manifest', member: 'providers', columns: ['value', 'label', 'stage', 'consentCategory'] },
  readMe: { words: 'me', columns: ['teamId', 'environment', 'application', 'scopes', 'tags'] },
  readKeys: { words: 'keys', columns: ['kid', 'alg'] },
}
