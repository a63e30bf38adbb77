import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { WrongUsage } from '../call.ts'
import { catalogueOf, plainOf, readReference, variableOf } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-references-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'key.txt'), 'from a file\n')
const place = { env: { NAME: 'from the environment', EMPTY: '' }, folder }

test('a reference leads to a text, an environment variable or a file beside the configuration', () => {
  assert.equal(readReference('text', place), 'text')
  assert.equal(readReference({ env: 'NAME' }, place), 'from the environment')
  assert.equal(readReference({ env: 'EMPTY' }, place), '')
  assert.equal(readReference({ file: 'key.txt' }, place), 'from a file')
})

test('a reference that leads nowhere is named', () => {
  assert.throws(() => readReference({ env: 'OTHER' }, place), /environment variable OTHER is not set/)
  assert.throws(() => readReference({ file: 'nowhere.txt' }, place), /file nowhere.txt cannot be read/)
})

test('flags set a variable by its value, an environment variable or a file; a value may hold the sign itself', () => {
  const flags = { secret: ['A=b=c', 'EMPTY='], secretEnv: ['B=NAME'], secretFile: ['C=key.txt'] }
  assert.deepEqual(plainOf(flags, place), [
    { variable: 'A', text: 'b=c' },
    { variable: 'EMPTY', text: '' },
    { variable: 'B', text: 'from the environment' },
    { variable: 'C', text: 'from a file' },
  ])
  for (const secret of ['A', '=b', '']) assert.throws(() => plainOf({ secret: [secret] }, place), WrongUsage)
})

test('a variable that the manifest does not list is answered by the nearest one', () => {
  const secrets = [{ variable: 'EVENT_SINK_URL', type: 'TEXT', sensitive: false }]
  const catalogue = catalogueOf({ providers: [{ value: 'eventSink', secrets }] })
  assert.equal(variableOf(catalogue, 'eventSink', 'EVENT_SINK_URL').type, 'TEXT')
  assert.throws(() => variableOf(catalogue, 'eventSink', 'EVENT_SINK_ULR'), /did you mean EVENT_SINK_URL/)
  assert.throws(() => variableOf(catalogue, 'eventSink', 'constructor'), WrongUsage)
  assert.throws(() => variableOf(catalogue, 'acme', 'A'), /no provider acme/)
})
