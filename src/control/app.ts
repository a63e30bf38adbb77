import type { FastifyInstance } from 'fastify'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import { type Answer, bind, type Call } from '#http/bind.ts'
import { readKeys, readManifest, readOpenapi } from './catalogue.ts'
import { listEvents, readEvent } from './events.ts'
import { readMe } from './me.ts'
import { createScript, deleteScript, listScripts, readScript, updateScript } from './scripts.ts'
import { createTag, listTags, readTag } from './tags.ts'
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
  listEvents,
  readEvent,
  readManifest,
  readMe,
  readUserMe: readMe,
  readKeys,
  readOpenapi,
}

function bindOne<Id extends OperationId>(app: FastifyInstance, id: Id, world: ControlWorld): void {
  const answer = answers[id] as Answer<(typeof operations)[Id], ControlWorld>
  bind(app, operations[id], (call: Call<(typeof operations)[Id]>) => answer(call, world), world.authenticate)
}

/** The control API of one environment, to be registered under its prefix: `/v1` or `/sandbox/v1`. */
export function controlRoutes(app: FastifyInstance, world: ControlWorld): void {
  for (const id of operationIds) bindOne(app, id, world)
}
