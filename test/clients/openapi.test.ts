import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { makeCustomer, openAglet } from '../fake/aglet.ts'
import { hasPython, pythonProgram, sdksFolder, skipMissing } from './client.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'aglet-openapi-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const aglet = await openAglet('clients-openapi')
const customer = await makeCustomer(aglet, 'openapi')

const documentFile = join(folder, 'openapi.json')
writeFileSync(documentFile, await (await fetch(`${customer.baseUrl}/openapi.json`)).text())

/** Runs a linter of npm. Rejects with what it found. */
async function lint(t: TestContext, name: string, ...words: string[]): Promise<void> {
  const program = join(sdksFolder, 'node_modules/.bin', name)
  if (!existsSync(program)) return skipMissing(t, name)
  await run(program, words, { cwd: folder }).catch((problem) => assert.fail(`${problem.stdout}${problem.stderr}`))
}

test('Spectral finds nothing in the OpenAPI document', async (t) => {
  writeFileSync(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n')
  await lint(t, 'spectral', 'lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', documentFile)
})

test('Redocly finds nothing in the OpenAPI document', (t) => lint(t, 'redocly', 'lint', documentFile))

/** A fixed seed and few cases: the same requests at every run. A stream answers for as long as it is read. */
const bounds = [
  '--seed',
  '1',
  '--max-examples',
  '2',
  '--generation-deterministic',
  '--phases',
  'examples,fuzzing',
  '--workers',
  '1',
]
const checks = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance'

test('schemathesis finds no server error, no status that is not described and no response of another shape', async (t) => {
  if (!hasPython()) return skipMissing(t, 'schemathesis')
  const headers = ['-H', `Authorization: Bearer ${customer.token}`, '-H', `Team-Id: ${customer.teamId}`]
  const words = ['run', documentFile, '--url', customer.baseUrl, '--checks', checks, ...bounds, ...headers]
  const options = [
    '--exclude-operation-id',
    'watchDeliveries',
    '--suppress-health-check',
    'all',
    '--continue-on-failure',
  ]
  const found = run(pythonProgram('schemathesis'), [...words, ...options], { cwd: folder, maxBuffer: 2 ** 26 })
  await found.catch((problem) => assert.fail(`${problem.stdout}${problem.stderr}`))
})
