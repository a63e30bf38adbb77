import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import { type Asked, ask, type Control, type Customer, type Told, withLimits } from './control.ts'

type Cases = {
  good: Record<
    'createReplay' | 'listReplays' | 'readReplay' | 'stopReplay' | 'listAlerts',
    () => Asked | Promise<Asked>
  >
  own: { [Id in OperationId]?: Partial<Record<FaultName, () => Promise<Told>>> }
  theirs: Partial<Record<OperationId, FaultName>>
}

const theirs = {
  createReplay: 'tagUnknown',
  listReplays: 'tagUnknown',
  readReplay: 'tagUnknown',
  stopReplay: 'tagUnknown',
} as const

/** What the contract's cases ask of replays and alerts. */
export async function replayCases(control: Control, customer: Customer): Promise<Cases> {
  const { tagId } = customer
  const tagUnknown = (id: OperationId) => async () =>
    ask(control, id, customer, { values: { tagId: newId('tag', 0), replayId: 'rep_nope' }, body: body() })
  const replayUnknown = (id: OperationId) => async () =>
    ask(control, id, customer, { values: { tagId, replayId: 'rep_nope' } })
  const body = () => ({ from: 0, to: control.clock.now() })
  const create = () => ask(control, 'createReplay', customer, { values: { tagId }, body: body() })

  /** The oldest that has not ended, or one that is made. */
  async function replayId(): Promise<string> {
    const [open] = await control.worlds.production.store.replays.open()
    return open?.replayId ?? String((await create()).body.replayId)
  }
  async function tooMany(): Promise<Told> {
    for (let asked = await create(); ; asked = await create()) if (asked.status !== 200) return asked
  }
  const noTrial = () =>
    withLimits(control, { queriesPerTeam: 0 }, () =>
      ask(control, 'createReplay', customer, { values: { tagId }, body: { ...body(), dryRun: true } }),
    )
  const named = async () => ({ values: { tagId, replayId: await replayId() } })
  return {
    good: {
      createReplay: () => ({ values: { tagId }, body: { ...body(), dryRun: true } }),
      listReplays: () => ({ values: { tagId } }),
      readReplay: named,
      stopReplay: named,
      listAlerts: () => ({}),
    },
    own: {
      createReplay: { tagUnknown: tagUnknown('createReplay'), tooManyReplays: tooMany, tooManyQueries: noTrial },
      listReplays: { tagUnknown: tagUnknown('listReplays') },
      readReplay: { tagUnknown: tagUnknown('readReplay'), replayUnknown: replayUnknown('readReplay') },
      stopReplay: { tagUnknown: tagUnknown('stopReplay'), replayUnknown: replayUnknown('stopReplay') },
    },
    theirs,
  }
}
