import type { FaultName } from '#contract/fault.ts'
import type { OperationId } from '#contract/operations.ts'
import { newId } from '#kit/id.ts'
import { type ControlAnswer, type ControlRequest, type Customer, callControl, type TestControl } from './testControl.ts'

type ReadId = 'listDeployments' | 'readDeployment' | 'readDraft' | 'discardDraft' | 'readUser' | 'findUser'
type ReadCases = {
  good: Record<ReadId, () => ControlRequest>
  own: { [Id in ReadId]: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
  theirs: Record<ReadId, FaultName>
}

/** Reads of deployments and users for the cases of the contract. */
export function readCases(control: TestControl, customer: Customer): ReadCases {
  const good = (tagId: string): Record<ReadId, ControlRequest> => ({
    listDeployments: { values: { tagId } },
    readDeployment: { values: { tagId, number: 1 } },
    readDraft: { values: { tagId } },
    discardDraft: { values: { tagId } },
    readUser: { values: { tagId, userId: 'usr_1' } },
    findUser: { values: { tagId }, body: { email: 'jane@example.com' } },
  })
  const { tagId } = customer
  const call = (id: OperationId, request: ControlRequest) => callControl(control, id, customer, request)
  const tagUnknown = (id: ReadId) => () => call(id, good(newId('tag', 0))[id])
  return {
    good: {
      listDeployments: () => good(tagId).listDeployments,
      readDeployment: () => good(tagId).readDeployment,
      readDraft: () => good(tagId).readDraft,
      discardDraft: () => good(tagId).discardDraft,
      readUser: () => good(tagId).readUser,
      findUser: () => good(tagId).findUser,
    },
    own: {
      listDeployments: { tagUnknown: tagUnknown('listDeployments') },
      readDeployment: {
        tagUnknown: tagUnknown('readDeployment'),
        deploymentUnknown: () => call('readDeployment', { values: { tagId, number: 100_000 } }),
      },
      readDraft: { tagUnknown: tagUnknown('readDraft') },
      discardDraft: {
        tagUnknown: tagUnknown('discardDraft'),
        scriptOrTagNotFound: () => call('discardDraft', { values: { tagId, scriptId: 'scr_nope' } }),
        nameTaken: async () => {
          const name = `taken ${newId('tag', 0)}`
          const { body } = await call('createTag', { body: { name, domain: 'shop.example.com' } })
          const values = { tagId: String(body.tagId) }
          await call('updateTag', { values, body: { name: `${name} before` } })
          await call('activateDeployment', { values: { ...values, number: 1 } })
          await call('createTag', { body: { name, domain: 'shop.example.com' } })
          return call('discardDraft', { values })
        },
      },
      readUser: {
        tagUnknown: tagUnknown('readUser'),
        userUnknown: () => call('readUser', { values: { tagId, userId: 'nope' } }),
      },
      findUser: { tagUnknown: tagUnknown('findUser') },
    },
    theirs: {
      listDeployments: 'tagUnknown',
      readDeployment: 'tagUnknown',
      readDraft: 'tagUnknown',
      discardDraft: 'tagUnknown',
      readUser: 'tagUnknown',
      findUser: 'tagUnknown',
    },
  }
}
