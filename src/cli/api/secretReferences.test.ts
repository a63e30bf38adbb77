import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { UsageError } from '#cli/operatorCall.ts'
import { buildCatalogue, findVariable, readSecretFlags, resolveReference, withInput } from './secretReferences.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-references-'))
after(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(join(folder, 'key.txt'), 'from a file\n')
const readInput = async () => 'from standard input\n'
const context = { readInput, env: { NAME: 'from the environment', EMPTY: '' }, folder }

test('a reference resolves to a text, an environment variable or a file relative to the folder', () => {
  assert.equal(resolveReference('text', context), 'text')
  assert.equal(resolveReference({ env: 'NAME' }, context), 'from the environment')
  assert.equal(resolveReference({ env: 'EMPTY' }, context), '')
  assert.equal(resolveReference({ file: 'key.txt' }, context), 'from a file')
})

test('the error of a reference that cannot be resolved names it', () => {
  assert.throws(() => resolveReference({ env: 'OTHER' }, context), /environment variable OTHER is not set/)
  assert.throws(() => resolveReference({ file: 'nowhere.txt' }, context), /file nowhere.txt cannot be read/)
})

test('flags set a variable by its value, an environment variable or a file, and a value may contain an equals sign', () => {
  const flags = { secret: ['A=b=c', 'EMPTY='], secretEnv: ['B=NAME'], secretFile: ['C=key.txt'] }
  assert.deepEqual(readSecretFlags(flags, context), [
    { variable: 'A', text: 'b=c' },
    { variable: 'EMPTY', text: '' },
    { variable: 'B', text: 'from the environment' },
    { variable: 'C', text: 'from a file' },
  ])
  for (const secret of ['A', '=b', '']) assert.throws(() => readSecretFlags({ secret: [secret] }, context), UsageError)
})

test('a dash reads the value from standard input, so that a key stands in no history; only one value does', async () => {
  const flags = { secret: ['A=-', 'B=b-'] }
  assert.deepEqual(await withInput(flags, context), { secret: ['A=from standard input', 'B=b-'] })
  await assert.rejects(withInput({ secret: ['A=-', 'B=-'] }, context), UsageError)
})

test('the error of an unknown variable suggests the nearest name', () => {
  const secrets = [{ variable: 'EVENT_SINK_URL', type: 'TEXT', sensitive: false }]
  const catalogue = buildCatalogue({ providers: [{ value: 'eventSink', secrets }] })
  assert.equal(findVariable(catalogue, 'eventSink', 'EVENT_SINK_URL').type, 'TEXT')
  assert.throws(() => findVariable(catalogue, 'eventSink', 'EVENT_SINK_ULR'), /did you mean EVENT_SINK_URL/)
  assert.throws(() => findVariable(catalogue, 'eventSink', 'constructor'), UsageError)
  assert.throws(() => findVariable(catalogue, 'acme', 'A'), /Provider acme is not in the manifest/)
})
