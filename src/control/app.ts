import type { FastifyInstance } from 'fastify'
import { type Operation, type OperationId, operationIds, operations } from '#contract/operations.ts'
import { type Answer, type AuthenticateFor, type Brakes, bind, type Call } from '#http/bind.ts'
import { countCalls } from '#http/rate.ts'
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
import { listDeliveries } from './deliveries.ts'
import { activateDeployment, deployTag, listDeployments } from './deployments.ts'
import { listEvents, readEvent } from './events.ts'
import { createHook, deleteHook, listHooks } from './hooks.ts'
import { watchDeliveries } from './live.ts'
import { readMe } from './me.ts'
import {
  createInvitation,
  deleteInvitation,
  deleteMember,
  listInvitations,
  listMembers,
  updateMember,
} from './members.ts'
import { pauseScript, resumeScript } from './pauses.ts'
import { acceptPolicy, readLatestPolicies, readPolicy } from './policies.ts'
import { preview } from './preview.ts'
import { createReplay, listReplays, readReplay, stopReplay } from './replays.ts'
import { createScript, deleteScript, listScripts, readScript, updateScript } from './scripts.ts'
import { acceptInvitation, confirmEmail, createPerson, readSession, signIn, signOut, updatePerson } from './sessions.ts'
import { simulate } from './simulate.ts'
import { readStats } from './stats.ts'
import { createTag, deleteTag, listTags, readTag, updateTag } from './tags.ts'
import { eraseUser, readUser } from './users.ts'
import type { ControlWorld } from './world.ts'

/** Who answers which operation. */
const answers: { [Id in OperationId]: Answer<(typeof operations)[Id], ControlWorld> } = {
  createScript,
  listScripts,
  readScript,
  updateScript,
  deleteScript,
  createTag,
  listTags,
  readTag,
  updateTag,
  deleteTag,
  deployTag,
  listDeployments,
  activateDeployment,
  createHook,
  listHooks,
  deleteHook,
  listAlerts,
  createReplay,
  listReplays,
  readReplay,
  stopReplay,
  pauseScript,
  resumeScript,
  listEvents,
  readEvent,
  listDeliveries,
  readStats,
  watchDeliveries,
  preview,
  simulate,
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
  confirmEmail,
  acceptInvitation,
  readUser,
  eraseUser,
  readManifest,
  readMe,
  readUserMe: readMe,
  readKeys,
  readOpenapi,
}

function bindOne<Id extends OperationId>(app: FastifyInstance, id: Id, world: ControlWorld, brakes: Brakes): void {
  const answer = answers[id] as Answer<(typeof operations)[Id], ControlWorld>
  const { access }: Operation = operations[id]
  const authenticate = access === 'session' ? world.authenticatePerson : world.authenticate
  bind(
    app,
    operations[id],
    (call: Call<(typeof operations)[Id]>) => answer(call, world),
    authenticate as AuthenticateFor<(typeof operations)[Id]>,
    brakes,
  )
}

/** The control API of one environment, to be registered under its prefix: `/v1` or `/sandbox/v1`. */
export function controlRoutes(app: FastifyInstance, world: ControlWorld): void {
  const brakes = { count: countCalls(app, () => world.rateLimit), busy: () => world.busy() }
  for (const id of operationIds) bindOne(app, id, world, brakes)
}
