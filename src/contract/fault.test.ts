import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorObject, fault, faults } from './fault.ts'
import { faultsOf, type OperationId, operationIds, operations } from './operations.ts'

const all = Object.values(faults)

test('a code is upper snake case and belongs to one fault only', () => {
  for (const { code } of all) assert.match(code, /^[A-Z]+(_[A-Z]+)*$/)
  assert.equal(new Set(all.map(({ code }) => code)).size, all.length)
})

test('a message is a sentence', () => {
  for (const { message } of all) assert.match(message, /^[A-Z].*\.$/)
})

/** The interface's table of errors: the operations that respond with each status. */
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
  test(`${status} is a status of the operations that the interface names for it`, () => {
    for (const id of ids) {
      const statuses = faultsOf(operations[id]).map((name) => faults[name].status as number)
      assert.ok(statuses.includes(status), `${id} never answers ${status}`)
    }
  })
}

test('an unknown address is a 404 and an unknown method a 405', () => {
  assert.deepEqual([fault('notFound').status, fault('methodNotAllowed').status], [404, 405])
})

test('the Error object has message, statusCode and code, optional attributes, and never a stack', () => {
  const attributes = { issues: [{ path: 'name', message: 'is required' }] }
  const object = errorObject(fault('badRequest', { attributes, headers: { allow: 'GET' } }))
  assert.deepEqual(object, {
    message: faults.badRequest.message,
    statusCode: 400,
    error: 'BAD_REQUEST',
    attributes,
  })
  assert.deepEqual(Object.keys(errorObject(fault('internal'))), ['message', 'statusCode', 'error'])
})
