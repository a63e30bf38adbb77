import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { exampleValues } from '#contract/examples/example.ts'
import { makeCustomer, openAglet } from '../fake/aglet.ts'
import { isFullRun } from '../fake/cases.ts'
import { hasPython, pythonProgram, sdksFolder, skipMissing } from './client.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'aglet-openapi-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const aglet = await openAglet('clients-openapi')
const customer = await makeCustomer(aglet, 'openapi')

const documentFile = join(folder, 'openapi.json')
const document = await (await fetch(`${customer.baseUrl}/openapi.json`)).text()
writeFileSync(documentFile, document)

/** Runs an npm linter. Rejects with its findings. */
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

/** The time for the requests that are generated from a document. */
const seconds = isFullRun ? 60 : 10
/** A fixed seed and few cases, so that every run sends the same requests. A stream answers as long as it is read. */
const bounds = [
  ...['--seed', '1', '--max-examples', '1', '--generation-deterministic', '--no-shrink', '--workers', '1'],
  ...['--phases', 'examples,fuzzing', '--max-time', `${seconds}`, '--max-failures', '20'],
]
const checks = 'not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance'

/** Sends the requests that schemathesis generates from a document. Rejects with its findings. */
async function explore(t: TestContext, document: string, url: string, ...words: string[]): Promise<void> {
  if (!hasPython()) return skipMissing(t, 'schemathesis')
  const headers = ['-H', `Authorization: Bearer ${customer.token}`, '-H', `Team-Id: ${customer.teamId}`]
  const options = ['--checks', checks, ...bounds, '--suppress-health-check', 'all', '--continue-on-failure', ...headers]
  const found = run(pythonProgram('schemathesis'), ['run', document, '--url', url, ...options, ...words], {
    cwd: folder,
    maxBuffer: 2 ** 26,
  })
  await found.catch((problem) => assert.fail(`${problem.stdout}${problem.stderr}`))
}

/** After `createHook` every deployment is a documented 500 with `hookErrors`, because nothing answers at its address. */
const notExplored = ['--exclude-operation-id', 'watchDeliveries', '--exclude-operation-id', 'createHook']

test('schemathesis finds no server error, no status that is not described and no response of another shape', (t) =>
  explore(t, documentFile, customer.baseUrl, '--exclude-path-regex', '^/t/', ...notExplored))

test('schemathesis finds none at the edge, with the tag of a customer', async (t) => {
  const ofCustomer = join(folder, 'edge.json')
  writeFileSync(ofCustomer, document.replaceAll(exampleValues.tagId, customer.tagId))
  await explore(t, ofCustomer, aglet.origin, '--include-path-regex', '^/t/')
})
