import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ProgramDeps } from '../src/cli/cliDeps.ts'
import { importDeps } from '../src/cli/operator/importDeps.ts'
import { runProgram } from '../src/cli/program.ts'
import { constant, eventData, exported, onEvent, tag, template, trigger } from '../src/import/gtm/container.fixture.ts'
import { makeCustomer, openTestControl } from './fake/testControl.ts'

const control = await openTestControl()
const folder = mkdtempSync(join(tmpdir(), 'aglet-import-'))
after(async () => {
  await control.close()
  rmSync(folder, { recursive: true, force: true })
})
const customer = await makeCustomer(control)
const path = (name: string) => join(folder, name)
const read = (name: string) => readFileSync(path(name), 'utf8')
const token = 'EAABsecret0123456789TAIL'

/** Runs one command line like a customer's machine. */
async function run(...words: string[]) {
  const told = { code: 0, out: '', error: '' }
  const never = async () => assert.fail('is not the operator')
  const deps: ProgramDeps = {
    version: '1.2.3',
    env: { XDG_CONFIG_HOME: folder },
    print(text) {
      told.out += text
    },
    printError(text) {
      told.error += text
    },
    readInput: async () => `${customer.token}\n`,
    ask: async () => undefined,
    importDeps: async () => importDeps,
    ...{
      operate: never,
      serve: never,
      preview: never,
      simulate: never,
      doctor: never,
      init: never,
      backup: never,
      restore: never,
    },
  }
  told.code = await runProgram(words, deps)
  return told
}

const outputs = (name: string) => [
  '--out',
  path(`${name}.yaml`),
  '--report',
  path(`${name}.txt`),
  '--secrets-file',
  path(`${name}.json`),
]
const importGtm = (file: string, name: string, ...more: string[]) =>
  run('import', 'gtm', path(file), '--tag-name', 'shop', '--domain', 'shop.example.com', ...outputs(name), ...more)

before(async () => {
  const origin = await control.app.listen({ port: 0, host: '127.0.0.1' })
  assert.equal((await run('login', '--base-url', `${origin}/v1`, '--token', '-')).code, 0)
  const fields = { pixelId: '{{pixel}}', accessToken: '{{token}}', inheritEventName: 'override', eventName: 'standard' }
  const server = exported({
    customTemplate: [template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' })],
    variable: [
      constant('pixel', '1234567890'),
      constant('token', token),
      eventData('value'),
      eventData('page_location'),
    ],
    trigger: [
      trigger('big', 'CUSTOM_EVENT', ['EQUALS', '{{_event}}', 'purchase'], ['GREATER', '{{ed value}}', '10']),
      onEvent('form_sent'),
      trigger('odd', 'CUSTOM_EVENT', ['EQUALS', '{{_event}}', 'x'], ['CSS_SELECTOR', '{{ed page_location}}', '.a']),
    ],
    tag: [
      tag(
        'FB purchase',
        'cvt_9_5',
        { ...fields, eventNameStandard: 'Purchase', customDataList: [{ name: 'currency', value: 'EUR' }] },
        { firing: ['big'] },
      ),
      tag('FB lead', 'cvt_9_5', { ...fields, eventNameStandard: 'Lead' }, { firing: ['form_sent'] }),
      tag('GA4', 'sgtmgaaw', { measurementId: 'G-ABC1234567' }, { firing: ['big', 'form_sent'] }),
      tag('odd', 'sgtmgaaw', { measurementId: 'G-ODD1234567' }, { firing: ['odd'] }),
    ],
  })
  writeFileSync(path('server.json'), server)
})

test('an imported container is planned and applied once its missing secrets are filled in', async () => {
  const imported = await importGtm('server.json', 'shop')
  assert.deepEqual([imported.code, imported.error], [3, ''])
  assert.match(imported.out, /^4 channels in shop\.yaml\. Of \d+ elements/)
  assert.equal(statSync(path('shop.json')).mode & 0o777, 0o600)
  assert.ok(!`${read('shop.yaml')}${read('shop.txt')}${imported.out}`.includes(token))

  const plan = () => run('plan', '--file', path('shop.yaml'))
  const early = await plan()
  assert.equal(early.code, 2)
  assert.match(
    early.error,
    /write a value for "Google Analytics 4 G-ABC1234567\.GOOGLE_ANALYTICS_4_API_SECRET" into shop\.json/,
  )
  const secrets = JSON.parse(read('shop.json')) as Record<string, string>
  const filled = Object.entries(secrets).map(([key, value]) => [key, value || 'api-secret-of-the-shop'])
  writeFileSync(path('shop.json'), JSON.stringify(Object.fromEntries(filled)))

  const planned = await plan()
  assert.deepEqual([planned.code, planned.error], [0, ''], planned.error)
  assert.match(planned.out, /script shop \/ Meta/)
  const applied = await run('apply', '--file', path('shop.yaml'), '--yes')
  assert.deepEqual([applied.code, applied.error], [0, ''])
  assert.match((await plan()).out, /Nothing differs/)
})

test('a file that is none, or that exists, ends with 2 and writes nothing', async () => {
  writeFileSync(path('bad.json'), '{"containerVersion": {\n oops')
  const bad = await importGtm('bad.json', 'bad')
  assert.equal(bad.code, 2)
  assert.match(bad.error, /not JSON \(line 2, column 2\)/)
  assert.equal((await importGtm('missing.json', 'bad')).code, 2)
  writeFileSync(path('large.json'), new Uint8Array(50_000_000))
  assert.match((await importGtm('large.json', 'bad')).error, /50 MB; the limit is 20 MB/)
  assert.ok(!existsSync(path('bad.yaml')) && !existsSync(path('bad.txt')))

  writeFileSync(path('taken.txt'), 'mine')
  const taken = await importGtm('server.json', 'taken')
  assert.deepEqual([taken.code, read('taken.txt')], [2, 'mine'])
  assert.match(taken.error, /taken\.txt already exists. Choose another file, or write --force/)
  assert.deepEqual(
    readdirSync(folder).filter((name) => /taken|part/.test(name)),
    ['taken.txt'],
  )
  assert.equal((await importGtm('server.json', 'taken', '--force')).code, 3)
  assert.notEqual(read('taken.txt'), 'mine')
})

test('everything that moved ends with 0; --json prints the report', async () => {
  writeFileSync(path('all-moves.json'), exported({ tag: [tag('linker', 'sgtmadscl', {})] }))
  const { code, out } = await importGtm('all-moves.json', 'moved', '--json')
  assert.deepEqual([code, JSON.parse(out).counts], [0, { mapped: 1, needsValue: 0, needsDecision: 0, notMapped: 0 }])
})
