import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorObject, fault, faults } from './fault.ts'
import { faultsOf, type OperationId, operationIds, operations } from './operations.ts'

const all = Object.values(faults)

test('a code is upper snake case and stands for one fault alone', () => {
  for (const { code } of all) assert.match(code, /^[A-Z]+(_[A-Z]+)*$/)
  assert.equal(new Set(all.map(({ code }) => code)).size, all.length)
})

test('a message is a sentence and says nothing of what was sent', () => {
  for (const { message } of all) assert.match(message, /^[A-Z].*\.$/)
})

/** The table of errors of the interface: status by status, the operations that answer it. */
const table: [status: number, ids: readonly OperationId[]][] = [
  [400, ['createScript', 'updateScript']],
  [403, ['createScript']],
  [406, ['deleteScript']],
  [407, ['readLatestPolicies', 'readPolicy']],
  [409, ['createScript', 'readScript', 'updateScript', 'readLatestPolicies', 'readPolicy', 'acceptPolicy']],
  [500, operationIds.filter((id) => id !== 'readManifest')],
  [401, operationIds.filter((id) => operations[id].access !== 'public')],
  [413, ['createScript', 'updateScript', 'acceptPolicy', 'createTag']],
  [415, ['createScript', 'updateScript', 'acceptPolicy', 'createTag']],
  [429, operationIds],
  [503, operationIds.filter((id) => operations[id].method !== 'GET')],
]
for (const [status, ids] of table) {
  test(`${status} is answered by the operations that the interface names for it`, () => {
    for (const id of ids) {
      const statuses = faultsOf(operations[id]).map((name) => faults[name].status as number)
      assert.ok(statuses.includes(status), `${id} never answers ${status}`)
    }
  })
}

test('404 and 405 are answered where no operation is', () => {
  assert.deepEqual([fault('notFound').status, fault('methodNotAllowed').status], [404, 405])
})

test('the Error object has message, statusCode and code, attributes where there are any, and never a stack', () => {
  const attributes = { issues: [{ path: 'name', message: 'is required' }] }
  const told = errorObject(fault('badRequest', { attributes, headers: { allow: 'GET' } }))
  assert.deepEqual(told, {
    message: faults.badRequest.message,
    statusCode: 400,
    error: 'BAD_REQUEST',
    attributes,
  })
  assert.deepEqual(Object.keys(errorObject(fault('internal'))), ['message', 'statusCode', 'error'])
})
