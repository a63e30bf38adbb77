import type { OperationId } from '#contract/operations.ts'
import { CommitUnknown, DatabaseAway, DatabaseReadOnly } from '#postgres/databaseError.ts'
import { Unwritable } from '#store/store.ts'
import type { ControlAnswer, ControlRequest, TestControl } from './testControl.ts'

type Ask = (id: OperationId, asked: ControlRequest) => Promise<ControlAnswer>

/** Calls while every dependency throws an error, by the name of the expected fault. */
export function brokenCases(control: Pick<TestControl, 'broken'>, call: Ask) {
  const whileBroken =
    (error: true | Error): Ask =>
    (id, asked) => {
      control.broken = error
      return call(id, asked).finally(() => {
        control.broken = false
      })
    }
  return {
    databaseAway: whileBroken(new DatabaseAway('no primary at node1 answers hunter2')),
    databaseReadOnly: whileBroken(new Unwritable('hunter2', { cause: new DatabaseReadOnly('disk full') })),
    commitUnknown: whileBroken(new CommitUnknown('the answer was lost: hunter2')),
    internal: whileBroken(true),
  }
}
