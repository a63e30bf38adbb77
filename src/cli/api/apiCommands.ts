import type { OperationId } from '#contract/operations.ts'
import { deploymentText, draftText } from './printValues.ts'

/** The command of an API operation. Its options are derived from the operation's row in `operations`. */
export type ApiCommand = {
  words: string
  /** The members of the response to print, in this order; by default every scalar member. */
  columns?: readonly string[]
  /** The only member of the response to print. */
  member?: string
  /** The result in one line: `{name}` stands for a member of the response or input. */
  sentence?: string
  /** Formats the whole response instead of printing a table. */
  text?: (answer: Readonly<Record<string, unknown>>) => string
}

/** The commands that call one operation each. */
export const apiCommands: { readonly [Id in OperationId]?: ApiCommand } = {
  createScript: { words: 'script create', sentence: 'Created script {scriptId}.' },
  listScripts: {
    words: 'script list',
    columns: [
      ...['scriptId', 'name', 'providerId', 'consentCategory', 'geoRegions', 'purchaseValueMode', 'paused'],
      ...['isDraft', 'stopped'],
    ],
  },
  readScript: { words: 'script get' },
  patchScript: { words: 'script update', sentence: 'Updated script {scriptId}.' },
  deleteScript: { words: 'script delete', sentence: 'Deleted script {scriptId}.' },
  pauseScript: { words: 'script pause', sentence: 'Paused script {scriptId}: its deliveries wait.' },
  resumeScript: { words: 'script resume', sentence: 'Resumed script {scriptId}.' },
  createTag: { words: 'tag create', sentence: 'Created tag {tagId}. Its URL is {tagUrl}' },
  listTags: { words: 'tag list', columns: ['tagId', 'name', 'domain', 'tagUrl', 'consent'] },
  readTag: { words: 'tag get' },
  updateTag: { words: 'tag update', sentence: 'Updated tag {tagId}.' },
  deleteTag: { words: 'tag delete', sentence: 'Deleted tag {tagId}.' },
  deployTag: { words: 'deploy', sentence: 'Deployment {number} is live.' },
  listDeployments: { words: 'deployment list', columns: ['number', 'at', 'by', 'isLive', 'activates', 'changes'] },
  readDeployment: { words: 'deployment get', text: deploymentText },
  readDraft: { words: 'draft', text: draftText },
  discardDraft: { words: 'draft discard' },
  createHook: { words: 'hook create' },
  listHooks: { words: 'hook list' },
  deleteHook: { words: 'hook delete', sentence: 'Deleted hook {hookId}.' },
  listAlerts: { words: 'alert list', columns: ['at', 'kind', 'scriptId', 'reason', 'count', 'since', 'tagId'] },
  listAlertRules: { words: 'alert-rule list', columns: ['name', 'kind', 'tagId', 'eventName', 'to', 'mutedUntil'] },
  putAlertRule: { words: 'alert-rule put' },
  muteAlertRule: { words: 'alert-rule mute', sentence: 'Changed alert rule {name}.' },
  muteAlertRules: { words: 'alert-rule mute-all' },
  deleteAlertRule: { words: 'alert-rule delete', sentence: 'Deleted alert rule {name}.' },
  listIncidents: {
    words: 'incident list',
    columns: ['startedAt', 'endedAt', 'rule', 'title', 'firstAt', 'lastAt', 'incidentId'],
  },
  listContactPoints: { words: 'contact-point list' },
  putContactPoint: { words: 'contact-point put' },
  confirmContactPoint: { words: 'contact-point confirm', sentence: 'Confirmed {target}.' },
  testContactPoint: { words: 'contact-point test' },
  deleteContactPoint: { words: 'contact-point delete', sentence: 'Deleted contact point {name}.' },
  createReplay: { words: 'replay' },
  listReplays: {
    words: 'replay list',
    columns: ['replayId', 'state', 'at', 'by', 'matched', 'replayed', 'from', 'to', 'statuses'],
  },
  readReplay: { words: 'replay get' },
  stopReplay: { words: 'replay stop', sentence: 'Replay {replayId} is {state}.' },
  listOrders: {
    words: 'order list',
    columns: ['placedAt', 'orderId', 'status', 'salesChannel', 'value', 'currency', 'received', 'states'],
  },
  readOrder: { words: 'order get' },
  readReconciliation: { words: 'order report', columns: ['orders', 'received', 'channels'] },
  setReconciliation: { words: 'order scope' },
  repairOrders: { words: 'order repair', columns: ['replayId', 'orders', 'next'] },
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
    columns: ['scriptId', 'name', 'providerId', 'health', 'state', 'reason', 'nextAt', 'waiting', 'lastDeliveredAt'],
  },
  listRuns: {
    words: 'script runs',
    columns: ['at', 'runId', 'status', 'durationMs', 'error', 'logs', 'request', 'eventIds'],
  },
  readIntake: { words: 'intake', columns: ['accepted', 'duplicate', 'rejected', 'refused', 'refusals', 'seen'] },
  readMatchQuality: {
    words: 'match-quality',
    member: 'channels',
    columns: ['name', 'providerId', 'events', 'withStrongKey', 'coverage', 'findings'],
  },
  exportTag: { words: 'tag export' },
  exportAudit: { words: 'team audit' },
  createPreviewLink: {
    words: 'preview-link create',
    columns: ['url', 'previewId', 'code', 'deliver', 'deployment', 'expiresAt'],
  },
  listPreviewEvents: { words: 'preview-link events' },
  readUser: { words: 'user get' },
  findUser: { words: 'user find', member: 'users', columns: ['userId', 'seenAt', 'isConfirmed', 'isFromEvent'] },
  readLatestPolicies: { words: 'policy latest' },
  readPolicy: { words: 'policy get' },
  acceptPolicy: { words: 'policy accept', sentence: 'Accepted {policyType} version {version} for the team.' },
  listAudit: { words: 'audit', columns: ['at', 'by', 'what', 'object', 'from'] },
  createApplication: { words: 'application create' },
  listApplications: { words: 'application list' },
  rotateClientSecret: { words: 'application secret' },
  deleteApplication: { words: 'application delete', sentence: 'Deleted application {applicationId}.' },
  createApplicationToken: { words: 'application token' },
  deleteToken: { words: 'token delete', sentence: 'Revoked token {tokenId}.' },
  listMembers: { words: 'member list' },
  updateMember: { words: 'member update', sentence: 'Changed the role of {personId} to {role}.' },
  deleteMember: { words: 'member delete', sentence: 'Removed {personId} from the team.' },
  createInvitation: { words: 'invitation create' },
  listInvitations: { words: 'invitation list' },
  deleteInvitation: { words: 'invitation delete', sentence: 'Revoked invitation {invitationId}.' },
  readTeam: { words: 'team get' },
  updateTeam: { words: 'team update' },
  readManifest: { words: 'manifest', member: 'providers', columns: ['value', 'label', 'stage', 'consentCategory'] },
  readMe: { words: 'me', columns: ['teamId', 'environment', 'application', 'scopes', 'tags'] },
  readKeys: { words: 'keys', columns: ['kid', 'alg'] },
}
