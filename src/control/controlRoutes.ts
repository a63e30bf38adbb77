import type { FastifyInstance } from 'fastify'
import { type Operation, type OperationId, operationIds, operations } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'
import {
  bindOperation,
  type CallLimits,
  type OperationAnswer,
  type OperationAuthenticator,
  type OperationCall,
} from '#http/bindOperation.ts'
import { limitCallers } from '#http/rateLimit.ts'
import { openSessionCookie } from '#http/sessionCookie.ts'
import {
  deleteAlertRule,
  listAlertRules,
  listIncidents,
  muteAlertRule,
  muteAlertRules,
  putAlertRule,
} from './alertRules.ts'
import { listAlerts } from './alerts.ts'
import {
  approveApplication,
  createApplication,
  createApplicationToken,
  deleteApplication,
  deleteToken,
  listApplications,
  rotateClientSecret,
} from './applications.ts'
import { listAudit } from './audit.ts'
import { readKeys, readManifest, readOpenapi } from './catalogue.ts'
import { listChannels } from './channels.ts'
import {
  confirmContactPoint,
  deleteContactPoint,
  listContactPoints,
  putContactPoint,
  testContactPoint,
} from './contactPoints.ts'
import type { ControlDeps } from './controlDeps.ts'
import { listDeliveries } from './deliveries.ts'
import { activateDeployment, deployTag, listDeployments, readDeployment } from './deployments.ts'
import { discardDraft, readDraft } from './drafts.ts'
import { listEvents } from './events.ts'
import { exportAudit, exportTag } from './exports.ts'
import { createHook, deleteHook, listHooks } from './hooks.ts'
import { readIntake } from './intake.ts'
import { readEvent } from './journey.ts'
import { shownTo } from './maskTexts.ts'
import { readMatchQuality } from './matchQuality.ts'
import { readMe } from './me.ts'
import {
  createInvitation,
  deleteInvitation,
  deleteMember,
  listInvitations,
  listMembers,
  updateMember,
} from './members.ts'
import {
  approvePendingApplication,
  createTeam,
  listPendingApplications,
  listPublishedPolicies,
  listTeams,
  publishPolicy,
  readHealth,
  readSettings,
} from './operator.ts'
import { listOrders, putOrders, readOrder } from './orders.ts'
import { endGrant, endSession, forgetDevice, listDevices, listGrants, listSessions } from './ownAccess.ts'
import { pauseScript, resumeScript } from './pauses.ts'
import { acceptPolicy, readLatestPolicies, readPolicy } from './policies.ts'
import { preview } from './preview.ts'
import { createPreviewLink, listPreviewEvents } from './previewLinks.ts'
import { readReconciliation, setReconciliation } from './reconciliation.ts'
import { repairOrders } from './repairOrders.ts'
import { createReplay, listReplays, readReplay, stopReplay } from './replays.ts'
import { createScript, deleteScript, listScripts, patchScript, readScript, updateScript } from './scripts.ts'
import {
  acceptInvitation,
  confirmEmail,
  createPerson,
  linkSandbox,
  readSession,
  signIn,
  signOut,
  unlinkSandbox,
  updatePerson,
} from './sessions.ts'
import { simulate } from './simulate.ts'
import { readFunnel, readStats, readTeamStats } from './stats.ts'
import { applyTagConfig, checkTagConfig } from './tagConfig.ts'
import { createTag, deleteTag, listTags, readTag, updateTag } from './tags.ts'
import { readTeam, updateTeam } from './teams.ts'
import { testTag } from './testTag.ts'
import { eraseUser, findUser, readUser } from './users.ts'
import { watchDeliveries } from './watchDeliveries.ts'
import { listRuns } from './webhookRuns.ts'

/** The handler of each operation. */
const operationAnswers: { [Id in OperationId]: OperationAnswer<(typeof operations)[Id], ControlDeps> } = {
  createScript,
  listScripts,
  readScript,
  updateScript,
  patchScript,
  deleteScript,
  createTag,
  listTags,
  readTag,
  updateTag,
  deleteTag,
  applyTagConfig,
  checkTagConfig,
  deployTag,
  listDeployments,
  readDeployment,
  readDraft,
  discardDraft,
  activateDeployment,
  createHook,
  listHooks,
  deleteHook,
  listAlerts,
  listAlertRules,
  putAlertRule,
  muteAlertRule,
  muteAlertRules,
  deleteAlertRule,
  listIncidents,
  listContactPoints,
  putContactPoint,
  confirmContactPoint,
  testContactPoint,
  deleteContactPoint,
  createReplay,
  listReplays,
  readReplay,
  stopReplay,
  putOrders,
  listOrders,
  readOrder,
  readReconciliation,
  setReconciliation,
  repairOrders,
  pauseScript,
  resumeScript,
  listEvents,
  readEvent,
  listDeliveries,
  readStats,
  readTeamStats,
  readFunnel,
  readMatchQuality,
  listChannels,
  readIntake,
  listRuns,
  exportTag,
  exportAudit,
  watchDeliveries,
  preview,
  simulate,
  testTag,
  createPreviewLink,
  listPreviewEvents,
  readLatestPolicies,
  readPolicy,
  acceptPolicy,
  listAudit,
  createApplication,
  listApplications,
  approveApplication,
  rotateClientSecret,
  deleteApplication,
  createApplicationToken,
  deleteToken,
  listMembers,
  updateMember,
  deleteMember,
  createInvitation,
  listInvitations,
  deleteInvitation,
  signIn,
  readSession,
  signOut,
  createPerson,
  updatePerson,
  linkSandbox,
  unlinkSandbox,
  confirmEmail,
  acceptInvitation,
  listSessions,
  endSession,
  listDevices,
  forgetDevice,
  listGrants,
  endGrant,
  readTeam,
  updateTeam,
  listTeams,
  createTeam,
  listPendingApplications,
  approvePendingApplication,
  listPublishedPolicies,
  publishPolicy,
  readHealth,
  readSettings,
  readUser,
  findUser,
  eraseUser,
  readManifest,
  readMe,
  readUserMe: readMe,
  readKeys,
  readOpenapi,
}

function bindControlOperation<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  deps: ControlDeps,
  limits: CallLimits,
): void {
  const answer = operationAnswers[id] as OperationAnswer<(typeof operations)[Id], ControlDeps>
  const { access, isStream, isExport } = operations[id] as Operation
  const ofPerson = access === 'session' || access === 'operator'
  const authenticate = ofPerson ? deps.authenticatePerson : deps.authenticate
  const { authenticatePerson, findPersonAccess } = deps
  bindOperation(
    app,
    operations[id],
    async (call: OperationCall<(typeof operations)[Id]>) => {
      const answered = await answer(call, deps)
      return isStream || isExport
        ? answered
        : shownTo(call.access as { scopes?: ReadonlySet<Scope> } | undefined, id, answered)
    },
    authenticate as OperationAuthenticator<(typeof operations)[Id]>,
    limits,
    { cookie: openSessionCookie(deps), authenticatePerson, findPersonAccess },
  )
}

/** Registers the control API of one environment. `app` has its prefix, `/v1` or `/sandbox/v1`. */
export function controlRoutes(app: FastifyInstance, deps: ControlDeps): void {
  const limits = { count: limitCallers(app, () => deps.rateLimit()), retryAfterSeconds: () => deps.retryAfterSeconds() }
  for (const id of operationIds) bindControlOperation(app, id, deps, limits)
}
