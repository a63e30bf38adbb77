import type { FastifyInstance } from 'fastify'
import { type Operation, type OperationId, operationIds, operations } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'
import { bindOperation, type CallLimits, type OperationAuthenticator, type OperationCall } from '#http/bindOperation.ts'
import { limitCallers } from '#http/rateLimit.ts'
import { openSessionCookie } from '#http/sessionCookie.ts'
import * as alertRules from './alertRules.ts'
import * as alerts from './alerts.ts'
import * as applications from './applications.ts'
import * as audit from './audit.ts'
import * as catalogue from './catalogue.ts'
import * as channels from './channels.ts'
import * as contactPoints from './contactPoints.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import * as deliveries from './deliveries.ts'
import * as deployments from './deployments.ts'
import * as drafts from './drafts.ts'
import * as events from './events.ts'
import * as exports from './exports.ts'
import * as hooks from './hooks.ts'
import * as intake from './intake.ts'
import * as journey from './journey.ts'
import { shownTo } from './maskTexts.ts'
import * as matchQuality from './matchQuality.ts'
import * as me from './me.ts'
import * as members from './members.ts'
import * as operator from './operator.ts'
import * as orders from './orders.ts'
import * as ownAccess from './ownAccess.ts'
import * as pauses from './pauses.ts'
import * as policies from './policies.ts'
import * as preview from './preview.ts'
import * as previewLinks from './previewLinks.ts'
import * as reconciliation from './reconciliation.ts'
import * as repairOrders from './repairOrders.ts'
import * as replays from './replays.ts'
import * as scripts from './scripts.ts'
import * as sessions from './sessions.ts'
import * as simulate from './simulate.ts'
import * as stats from './stats.ts'
import * as tagConfig from './tagConfig.ts'
import * as tags from './tags.ts'
import * as teams from './teams.ts'
import * as testTag from './testTag.ts'
import * as users from './users.ts'
import * as watchDeliveries from './watchDeliveries.ts'
import * as webhookRuns from './webhookRuns.ts'

/** The answers of all operations: the file of each noun exports its operations by name. */
const operationAnswers: { [Id in OperationId]: AnswerFor<Id> } = {
  ...alertRules,
  ...alerts,
  ...applications,
  ...audit,
  ...catalogue,
  ...channels,
  ...contactPoints,
  ...deliveries,
  ...deployments,
  ...drafts,
  ...events,
  ...exports,
  ...hooks,
  ...intake,
  ...journey,
  ...matchQuality,
  ...me,
  ...members,
  ...operator,
  ...orders,
  ...ownAccess,
  ...pauses,
  ...policies,
  ...preview,
  ...previewLinks,
  ...reconciliation,
  ...repairOrders,
  ...replays,
  ...scripts,
  ...sessions,
  ...simulate,
  ...stats,
  ...tagConfig,
  ...tags,
  ...teams,
  ...testTag,
  ...users,
  ...watchDeliveries,
  ...webhookRuns,
  readUserMe: me.readMe,
}

function bindControlOperation<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  deps: ControlDeps,
  limits: CallLimits,
): void {
  const answer = operationAnswers[id] as AnswerFor<Id>
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

/** Registers the control API of one environment. The prefix of `app` is `/v1` or `/sandbox/v1`. */
export function controlRoutes(app: FastifyInstance, deps: ControlDeps): void {
  const limits = { count: limitCallers(app, () => deps.rateLimit()), retryAfterSeconds: () => deps.retryAfterSeconds() }
  for (const id of operationIds) bindControlOperation(app, id, deps, limits)
}
