import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { providerIds } from '#contract/providerIds.ts'
import { providers } from '#providers/index.ts'

const root = join(import.meta.dirname, '..')
const run = (...words: string[]) =>
  spawnSync(process.execPath, ['scripts/new-provider.ts', ...words], { cwd: root, encoding: 'utf8' })

test('a new provider file has names made of its id and one example to fill in', () => {
  const { status, stdout } = run('acmeAds', '--print')
  assert.deepEqual([status, stdout], [2, ''], 'acmeAds is not one of the ids')
  for (const id of providerIds.slice(0, 3)) {
    const { stdout: form } = run(id, '--print')
    assert.match(form, /sends: \[\],/)
    assert.match(form, /stage: 'draft'/)
  }
  assert.match(run('salesforceMarketingCloud', '--print').stdout, /SALESFORCE_MARKETING_CLOUD_API_KEY: password/)
  assert.match(run('salesforceMarketingCloud', '--print').stdout, /label: 'Salesforce Marketing Cloud'/)
})

test('an unknown id, or one whose file exists, is rejected with a sentence', () => {
  for (const words of [[], ['nobody'], ['__proto__']]) {
    const { status, stderr } = run(...words)
    assert.equal(status, 2)
    assert.match(stderr, /^Write npm run new-provider NAME/)
  }
  const [there] = Object.keys(providers)
  assert.deepEqual([run(there!).status, run(there!).stderr], [2, `src/providers/${there}.ts exists already.\n`])
})
