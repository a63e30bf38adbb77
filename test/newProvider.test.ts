import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { providerIds } from '#contract/providerIds.ts'

const root = join(import.meta.dirname, '..')
/** A copy of the files that the command reads and writes. */
const copy = mkdtempSync(join(tmpdir(), 'aglet-provider-'))
after(() => rmSync(copy, { recursive: true, force: true }))
for (const file of ['scripts/new-provider.ts', 'src/contract/providerIds.ts', 'src/providers/klaviyo.ts'])
  cpSync(join(root, file), join(copy, file))
mkdirSync(join(copy, 'src/providers/examples'))

const run = (...words: string[]) =>
  spawnSync(process.execPath, ['scripts/new-provider.ts', ...words], { cwd: copy, encoding: 'utf8' })
const idsIn = (text: string) => [...text.matchAll(/^ {2}'(\w+)',$/gm)].map(([, id]) => id!)

test('a new provider file has names made of its id and one example to fill in', () => {
  for (const id of providerIds.slice(0, 3)) {
    const { stdout: form } = run(id, '--print')
    assert.match(form, /sends: \[\]/)
    assert.match(form, /stage: 'draft'/)
  }
  assert.match(run('salesforceMarketingCloud', '--print').stdout, /SALESFORCE_MARKETING_CLOUD_API_KEY: password/)
  assert.match(run('salesforceMarketingCloud', '--print').stdout, /label: 'Salesforce Marketing Cloud'/)
})

test('the name of a vendor that is not in the list makes its id, which is added in order', () => {
  const { status, stdout } = run('Acme Ads')
  assert.equal(status, 0)
  assert.match(stdout, /^Created src\/providers\/acmeAds\.ts .*, and added the id to src\/contract\/providerIds\.ts\./)
  assert.match(readFileSync(join(copy, 'src/providers/acmeAds.ts'), 'utf8'), /label: 'Acme Ads'/)
  const ids = idsIn(readFileSync(join(copy, 'src/contract/providerIds.ts'), 'utf8'))
  assert.deepEqual(ids, ['acmeAds', ...providerIds])
  assert.equal(run('zzzLast').status, 0)
  assert.equal(idsIn(readFileSync(join(copy, 'src/contract/providerIds.ts'), 'utf8')).at(-1), 'zzzLast')
})

test('a name that is none, or one whose file exists, is rejected with a sentence', () => {
  for (const words of [[], ['__proto__'], ['1'], ['../etc']]) {
    const { status, stderr } = run(...words)
    assert.deepEqual([status, /^Write npm run new-provider NAME/.test(stderr)], [2, true], words.join(' '))
  }
  const { status, stderr } = run('klaviyo')
  assert.deepEqual([status, stderr], [2, 'src/providers/klaviyo.ts exists already.\n'])
})
