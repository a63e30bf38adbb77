import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import type { orderOperations } from '#contract/orderOperations.ts'
import { newId } from '#kit/id.ts'
import { orderCases } from './orderCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  type TestControl,
  withLimits,
} from './testControl.ts'

type ReplayCases = {
  good: Record<
    'createReplay' | 'listReplays' | 'readReplay' | 'stopReplay' | 'listAlerts' | keyof typeof orderOperations,
    () => ControlRequest | Promise<ControlRequest>
  >
  own: { [Id in OperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
  theirs: Partial<Record<OperationId, FaultName>>
}

const theirs = {
  createReplay: 'tagUnknown',
  listReplays: 'tagUnknown',
  readReplay: 'tagUnknown',
  stopReplay: 'tagUnknown',
} as const

/** Replays, orders and alerts for the cases of the contract. */
export async function replayCases(control: TestControl, customer: Customer): Promise<ReplayCases> {
  const { tagId } = customer
  const tagUnknown = (id: OperationId) => async () =>
    callControl(control, id, customer, { values: { tagId: newId('tag', 0), replayId: 'rep_nope' }, body: body() })
  const replayUnknown = (id: OperationId) => async () =>
    callControl(control, id, customer, { values: { tagId, replayId: 'rep_nope' } })
  const body = () => ({ from: 0, to: control.clock.now() })
  const create = () => callControl(control, 'createReplay', customer, { values: { tagId }, body: body() })

  /** The oldest unfinished replay, or a new one. */
  async function replayId(): Promise<string> {
    const [open] = await control.environments.production.store.replays.unfinished()
    return open?.replayId ?? String((await create()).body.replayId)
  }
  async function tooMany(): Promise<ControlAnswer> {
    for (let asked = await create(); ; asked = await create()) if (asked.status !== 200) return asked
  }
  const noTrial = () =>
    withLimits(control, { queriesPerTeam: 0 }, () =>
      callControl(control, 'createReplay', customer, { values: { tagId }, body: { ...body(), dryRun: true } }),
    )
  const orders = await orderCases(control, customer)
  const named = async () => ({ values: { tagId, replayId: await replayId() } })
  return {
    good: {
      createReplay: () => ({ values: { tagId }, body: { ...body(), dryRun: true } }),
      listReplays: () => ({ values: { tagId } }),
      readReplay: named,
      stopReplay: named,
      listAlerts: () => ({}),
      ...orders.good,
    },
    own: {
      ...orders.own,
      createReplay: { tagUnknown: tagUnknown('createReplay'), tooManyReplays: tooMany, tooManyQueries: noTrial },
      listReplays: { tagUnknown: tagUnknown('listReplays') },
      readReplay: { tagUnknown: tagUnknown('readReplay'), replayUnknown: replayUnknown('readReplay') },
      stopReplay: { tagUnknown: tagUnknown('stopReplay'), replayUnknown: replayUnknown('stopReplay') },
    },
    theirs: { ...theirs, ...orders.theirs },
  }
}
