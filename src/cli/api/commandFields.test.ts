import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorCommandSpecs, sealCommandSpec } from '#cli/commandSpecs.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import { apiCommands } from './apiCommands.ts'
import { buildInput, type CommandField, operationFields, parseFieldValue } from './commandFields.ts'
import { commandFields } from './registerApi.ts'

/** Operations without a row in `apiCommands`, and why. */
const withoutRow: Partial<Record<OperationId, string>> = {
  updateScript: 'aglet script update, which names single fields',
  activateDeployment: 'aglet rollback',
  eraseUser: 'aglet user erase, which also takes an e-mail',
  applyTagConfig: 'aglet apply',
  checkTagConfig: 'aglet plan',
  preview: 'aglet preview, which needs no server',
  simulate: 'aglet simulate, which needs no server',
  approveApplication: 'aglet application approve, an operator command',
  readUserMe: 'the same as readMe',
  readOpenapi: 'for programs',
  signIn: 'for pages and apps that people sign in to: the command line uses tokens',
  readSession: 'the same reason as signIn',
  signOut: 'the same reason as signIn',
  createPerson: 'the same reason as signIn',
  updatePerson: 'the same reason as signIn',
  linkSandbox: 'the same reason as signIn',
  unlinkSandbox: 'the same reason as signIn',
  confirmEmail: 'the same reason as signIn',
  acceptInvitation: 'the same reason as signIn',
  listSessions: 'the same reason as signIn',
  endSession: 'the same reason as signIn',
  listDevices: 'the same reason as signIn',
  forgetDevice: 'the same reason as signIn',
  listGrants: 'the same reason as signIn',
  endGrant: 'the same reason as signIn',
  putOrders: 'aglet order import, which reads a file',
  listTeams: 'aglet team list, an operator command',
  createTeam: 'aglet team create, an operator command',
  listPendingApplications: 'aglet application pending, an operator command',
  approvePendingApplication: 'aglet application approve, an operator command',
  listPublishedPolicies: 'aglet policy list, an operator command',
  publishPolicy: 'aglet policy publish, an operator command',
  readHealth: 'aglet doctor',
  readSettings: 'the same reason as signIn',
  testTag: 'for the form of a channel; aglet preview shows requests, and POST /tag sends an event',
}
const called = Object.entries(apiCommands).map(([id, command]) => ({ id: id as OperationId, ...command }))

test('every operation of the API has a command', () => {
  const missing = operationIds.filter((id) => !apiCommands[id] && !withoutRow[id])
  assert.deepEqual(missing, [], 'add a row to apiCommands')
})

test('no two commands have the same words', () => {
  const all = [...called, ...operatorCommandSpecs, sealCommandSpec].map(({ words }) => words)
  assert.deepEqual(
    all.filter((words, at) => all.indexOf(words) !== at),
    [],
  )
})

test('no field has the name of a common option', () => {
  const taken = ['json', 'data', 'environment', 'profile', 'base-url', 'token', 'token-file', 'team', 'help', 'secret']
  for (const { id, words } of called)
    for (const { part, word } of commandFields(id))
      assert.ok(part === 'params' || !taken.includes(word), `${words} --${word}`)
})

test('a command has an option or argument for every field of its operation', () => {
  const fields = operationFields(operations.updateTag)
  assert.deepEqual(fields[0], {
    name: 'tagId',
    part: 'params',
    kind: 'text',
    word: 'tag',
    help: 'tag id',
    isRequired: true,
  })
  const kinds = Object.fromEntries(fields.map(({ word, kind }) => [word, kind]))
  assert.deepEqual([kinds.name, kinds.gpc, kinds.hosts, kinds['allowed-origins']], ['text', 'flag', 'list', 'list'])
  assert.deepEqual([kinds.hold, kinds.plugins], ['either', 'json'])
  assert.deepEqual(fields.find(({ name }) => name === 'consent')?.choices, ['enabled', 'disabled'])
  assert.equal(operationFields(operations.listScripts).find(({ name }) => name === 'limit')?.kind, 'number')
})

const field = (kind: CommandField['kind'], part: CommandField['part'] = 'body'): CommandField => ({
  name: 'someId',
  word: 'some',
  help: '',
  part,
  kind,
  isRequired: false,
})

test('a text is parsed to the kind of its field', () => {
  assert.equal(parseFieldValue(field('number'), '-12'), -12)
  assert.deepEqual(parseFieldValue(field('list'), 'a, b'), ['a', 'b'])
  assert.deepEqual(parseFieldValue(field('json'), '[{"a":1}]'), [{ a: 1 }])
  assert.equal(parseFieldValue(field('text'), ' as it is '), ' as it is ')
  assert.deepEqual([parseFieldValue(field('either'), 'off'), parseFieldValue(field('either'), '30')], ['off', 30])
  assert.equal(parseFieldValue(field('flag'), false), false)
})

test('a blank option sets its field to null, or to an empty list', () => {
  assert.equal(parseFieldValue(field('text'), ''), null)
  assert.deepEqual(parseFieldValue(field('list'), ''), [])
})

test('a text that cannot be parsed is a usage error', () => {
  assert.throws(() => parseFieldValue(field('number'), '1.5'), UsageError)
  assert.throws(() => parseFieldValue(field('json'), '{a}'), /--some takes JSON/)
  assert.throws(() => parseFieldValue(field('text', 'params'), ' '), /<someId> is blank/)
})

test('the input has path and query fields by name and a separate body, without fields that were not given', () => {
  const input = buildInput(operationFields(operations.updateTag), { tagId: 'tag_1', name: 'Shop', gpc: undefined })
  assert.deepEqual(input, { tagId: 'tag_1', body: { name: 'Shop' } })
  assert.deepEqual(buildInput(operationFields(operations.listScripts), { tagId: 'tag_1', limit: '5' }), {
    tagId: 'tag_1',
    limit: 5,
    body: {},
  })
})
