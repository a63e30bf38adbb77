import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import { WrongUsage } from '../call.ts'
import { operatorCommands, sealWords } from '../commands.ts'
import { apiCommands } from './commands.ts'
import { type Field, fieldsOf, inputOf, valueFor } from './fields.ts'
import { shownFields } from './register.ts'

/** Those that have a command of another kind, or none. */
const apart: Partial<Record<OperationId, string>> = {
  activateDeployment: 'aglet rollback',
  preview: 'aglet preview, which needs no server',
  simulate: 'aglet simulate, which needs no server',
  approveApplication: 'aglet application approve, the operator’s',
  readUserMe: 'the same as readMe',
  readOpenapi: 'for programs',
  signIn: 'for pages and apps that people sign in to: the command line shows tokens',
  readSession: 'as signIn',
  signOut: 'as signIn',
  createPerson: 'as signIn',
  updatePerson: 'as signIn',
  confirmEmail: 'as signIn',
  acceptInvitation: 'as signIn',
}
const called = Object.entries(apiCommands).map(([id, command]) => ({ id: id as OperationId, ...command }))

test('every operation of the API is a command', () => {
  const missing = operationIds.filter((id) => !apiCommands[id] && !apart[id])
  assert.deepEqual(missing, [], 'add a row to apiCommands')
})

test('no two commands have the same words', () => {
  const all = [...called, ...operatorCommands, sealWords].map(({ words }) => words)
  assert.deepEqual(
    all.filter((words, at) => all.indexOf(words) !== at),
    [],
  )
})

test('no option is one that every command takes', () => {
  const taken = ['json', 'data', 'environment', 'profile', 'base-url', 'token', 'token-file', 'team', 'help', 'secret']
  for (const { id, words } of called)
    for (const { part, word } of shownFields(id))
      assert.ok(part === 'params' || !taken.includes(word), `${words} --${word}`)
})

test('a command takes everything that its row takes', () => {
  const fields = fieldsOf(operations.updateTag)
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
  assert.equal(fieldsOf(operations.listScripts).find(({ name }) => name === 'limit')?.kind, 'number')
})

const field = (kind: Field['kind'], part: Field['part'] = 'body'): Field => ({
  name: 'someId',
  word: 'some',
  help: '',
  part,
  kind,
  isRequired: false,
})

test('what is written becomes the value of its kind', () => {
  assert.equal(valueFor(field('number'), '-12'), -12)
  assert.deepEqual(valueFor(field('list'), 'a, b'), ['a', 'b'])
  assert.deepEqual(valueFor(field('json'), '[{"a":1}]'), [{ a: 1 }])
  assert.equal(valueFor(field('text'), ' as it is '), ' as it is ')
  assert.deepEqual([valueFor(field('either'), 'off'), valueFor(field('either'), '30')], ['off', 30])
  assert.equal(valueFor(field('flag'), false), false)
})

test('a blank option unsets its field, and empties a list', () => {
  assert.equal(valueFor(field('text'), ''), null)
  assert.deepEqual(valueFor(field('list'), ''), [])
})

test('what cannot be read is wrong usage', () => {
  assert.throws(() => valueFor(field('number'), '1.5'), WrongUsage)
  assert.throws(() => valueFor(field('json'), '{a}'), /--some takes JSON/)
  assert.throws(() => valueFor(field('text', 'params'), ' '), /<someId> is blank/)
})

test('the input has path and query by name and the body apart, without what was not written', () => {
  const input = inputOf(fieldsOf(operations.updateTag), { tagId: 'tag_1', name: 'Shop', gpc: undefined })
  assert.deepEqual(input, { tagId: 'tag_1', body: { name: 'Shop' } })
  assert.deepEqual(inputOf(fieldsOf(operations.listScripts), { tagId: 'tag_1', limit: '5' }), {
    tagId: 'tag_1',
    limit: 5,
    body: {},
  })
})
