import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fill, pageText, root } from './blocks.ts'

/** A copy of the files in git, in which a contributor adds a provider. */
const clone = mkdtempSync(join(tmpdir(), 'aglet-provider-walk-'))
after(() => rmSync(clone, { recursive: true, force: true }))
const { stdout: files } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
for (const file of files.split('\0'))
  if (file && existsSync(join(root, file))) cpSync(join(root, file), join(clone, file))
symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))

const page = pageText('CONTRIBUTING.md').replaceAll(/\s+/g, ' ')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/** Runs a command of the page without its set-up and bundles, with the packages of this checkout. */
function type(words: string, more = '') {
  assert.ok(page.includes(words), words)
  const [, name, rest = ''] = /^npm (?:run )?([\w-]+)(?: --)?(.*)$/.exec(words)!
  const script = scripts[name!]!.replaceAll(/(?:env )?node scripts\/(?:setup\.cjs|bundle\.ts) && /g, '')
  const { NODE_TEST_CONTEXT: _, TESTS_FOLDER: __, ...own } = process.env
  const env = { ...own, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', script + rest + more], {
    cwd: clone,
    encoding: 'utf8',
    env,
  })
  return { status, out: stdout + stderr }
}

const edit = (path: string, values: Record<string, string>) =>
  writeFileSync(join(clone, path), fill(readFileSync(join(clone, path), 'utf8'), values))

test('CONTRIBUTING.md: a provider is made by its name, fails its tests until it is complete, and has its page', () => {
  const made = type('npm run new-provider "Acme Ads"')
  assert.match(made.out, /^Created src\/providers\/acmeAds\.ts/)
  for (const written of ['npm run providers', 'npm run docs']) assert.equal(type(written).status, 0)
  const incomplete = type('npm test -- src/providers', '/providers.test')
  assert.notEqual(incomplete.status, 0)
  assert.match(incomplete.out, /acmeAds has an example for each event/)

  edit('src/providers/acmeAds.ts', {
    "docs: 'https://'": "docs: 'https://docs.acme-ads.example/events'",
    "password('API key', '')": "password('API key', 'Acme Ads → Settings → API keys.')",
    "Purchase: ''": "Purchase: 'purchase'",
    "dedup: ''": "dedup: 'id, for a day'",
    "url: 'https://'": "url: 'https://api.acme-ads.example/events'",
  })
  const sent = (email: string) => `[{
    method: 'POST',
    url: 'https://api.acme-ads.example/events',
    headers: { 'content-type': 'application/json', authorization: 'key' },
    body: { name: 'purchase', id: 'evt-1', user: { email: '${createHash('sha256').update(email).digest('hex')}' }, value: 59.98 },
  }]`
  edit('src/providers/examples/acmeAds.ts', {
    'sends: []': `sends: ${sent('ada@example.com')}`,
    'email: []': `email: ${sent('ada.lovelace@gmail.com')}`,
    'customer: []': `customer: ${sent('ada.lovelace@gmail.com')}`,
  })
  for (const written of ['npm run providers', 'npm run docs']) assert.equal(type(written).status, 0)
  const complete = type('npm test -- src/providers')
  assert.equal(complete.status, 0, complete.out.slice(-3_000))
  assert.match(readFileSync(join(clone, 'docs/providers.md'), 'utf8'), /^## Acme Ads$/m)
})
