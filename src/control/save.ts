import type { Access } from '#account/access.ts'
import type { OperationId } from '#contract/operations.ts'
import { type Deployed, type Deploying, deploy } from '#script/deploy.ts'
import type { AuditState, Change } from '#store/store.ts'
import type { ControlWorld } from './world.ts'

/** Who asks for a change, and the address the call came from. */
export type Who = { access: Access; from: string }

export type Saving = {
  what: OperationId
  /** The id of what is changed, and what is told of it before and after. */
  object: string
  before?: AuditState
  after?: AuditState
  /** Whose deployment it is, where something goes live. */
  tagId?: string
  rows: readonly Change[]
  /** What goes live with it; nothing for a draft. */
  live?: Omit<Deploying, 'by' | 'saved'>
}

/** Saves all of a change with its audit row, deployed where it is to go live, or nothing of it. Throws hookFailed. */
export async function save(on: ControlWorld, { access, from }: Who, saving: Saving): Promise<Deployed | undefined> {
  const { what, object, before, after, tagId, rows, live } = saving
  const { tokenId: by, teamId } = access
  const row = { at: on.clock.now(), by, what, teamId, object, from, ...(before && { before }), ...(after && { after }) }
  const saved: Change[] = [...rows, { add: 'audit', row }]
  const deployed = live && tagId ? await deploy(on, tagId, { ...live, by, saved }) : undefined
  if (!deployed) await on.store.write(saved)
  on.log({ message: 'changed', what, by, teamId, object, number: deployed?.deployment.number })
  return deployed
}

/** The hooks that objected to what they could not stop, as texts. */
export const objections = (deployed: Deployed | undefined): string[] =>
  (deployed?.hookErrors ?? []).map(({ url, message }) => `${url}: ${message}`)
