import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { type ReleaseState, refusalOf } from '../scripts/release/refusal.ts'
import { publicPem, readReleaseKey, signText, throwawayKey } from '../scripts/release/signature.ts'
import { type NotAffected, provenanceOf, vexOf } from '../scripts/release/statements.ts'
import { verifyLines } from '../scripts/release/verifyLines.ts'
import { buildSite } from '../scripts/site/buildSite.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'aglet-release-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const state: ReleaseState = {
  version: '0.2.0',
  lastVersion: '0.1.0',
  tagged: ['0.1.0'],
  changes: '',
  changelog: '# Changelog\n\n## Unreleased\n\n- a\n',
  hasKey: true,
  isDryRun: false,
}

test('a release is refused with a sentence for each thing that is missing or wrong', () => {
  assert.equal(refusalOf(state), undefined)
  const refused: [Partial<ReleaseState>, RegExp][] = [
    [{ version: '' }, /^Name the version/],
    [{ version: '0.2' }, /^Name the version/],
    [{ tagged: ['0.1.0', '0.2.0'] }, /^The tag v0\.2\.0 exists/],
    [{ version: '0.0.9' }, /^0\.0\.9 is not later than 0\.1\.0/],
    [{ tagged: ['0.3.0'] }, /^0\.2\.0 is not later than 0\.3\.0/],
    [{ changes: ' M README.md' }, /uncommitted changes.*\n M README\.md/],
    [{ changelog: '# Changelog\n\n## Unreleased\n' }, /no notes below Unreleased/],
    [{ changelog: '## Unreleased\n\n- a\n\n## 0.2.0 - 2026-01-01\n\n- b\n' }, /already has a part for 0\.2\.0/],
    [{ hasKey: false }, /^The key is missing: set AGLET_RELEASE_KEY/],
  ]
  for (const [change, sentence] of refused) assert.match(refusalOf({ ...state, ...change }) ?? '', sentence)
})

test('the first release may keep the version of the package, and a dry run needs no key', () => {
  assert.equal(refusalOf({ ...state, version: '0.1.0', tagged: [] }), undefined)
  assert.equal(refusalOf({ ...state, hasKey: false, isDryRun: true }), undefined)
})

test('a key of another form, or with a wrong password, is refused with a sentence', () => {
  const pemOf = (curve: string, password?: string) =>
    generateKeyPairSync('ec', { namedCurve: curve })
      .privateKey.export({
        type: 'pkcs8',
        format: 'pem',
        ...(password !== undefined && { cipher: 'aes-256-cbc', passphrase: password }),
      })
      .toString()
  assert.throws(() => readReleaseKey('no key'), /^Error: The release key cannot be read/)
  assert.throws(() => readReleaseKey(pemOf('P-256', 'one'), 'other'), /^Error: The release key cannot be read/)
  assert.throws(() => readReleaseKey(pemOf('P-384')), /^Error: The release key must be on the elliptic curve P-256/)
  assert.equal(readReleaseKey(pemOf('P-256', 'one'), 'one').type, 'private')
})

test('the three commands accept a release, and refuse it when one byte of any file is changed', async () => {
  const checkout = join(folder, 'checkout')
  await run('git', ['init', '--quiet', checkout])
  const git = (...words: string[]) =>
    run('git', ['-C', checkout, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words])
  await git('commit', '--quiet', '--allow-empty', '--message', 'a')
  await git('tag', 'v0.2.0')
  const commit = (await git('rev-parse', 'HEAD')).stdout.trim()
  const made = join(folder, 'made')
  await run('mkdir', [made])
  const sumOf = async (name: string) => (await run('sha256sum', [name], { cwd: made })).stdout
  writeFileSync(join(made, 'aglet-0.2.0.tgz'), 'the package')
  const [sha256 = ''] = (await sumOf('aglet-0.2.0.tgz')).split(' ')
  const facts = { version: '0.2.0', commit, lockSha256: sha256, node: '24.0.0', startedOn: '', finishedOn: '' }
  const provenance = provenanceOf([{ name: 'aglet-0.2.0.tgz', sha256 }], facts)
  writeFileSync(join(made, 'aglet-0.2.0.provenance.json'), JSON.stringify(provenance))
  const sums = (await sumOf('aglet-0.2.0.tgz')) + (await sumOf('aglet-0.2.0.provenance.json'))
  const key = throwawayKey()
  writeFileSync(join(made, 'SHA256SUMS'), sums)
  writeFileSync(join(made, 'SHA256SUMS.sig'), signText(sums, key))
  writeFileSync(join(made, 'aglet-release.pub'), publicPem(key))

  const verify = (cwd: string) => run('sh', ['-ec', verifyLines('0.2.0', checkout).join('\n')], { cwd })
  await verify(made)
  for (const name of globSync('*', { cwd: made })) {
    const copy = join(folder, `changed-${name}`)
    cpSync(made, copy, { recursive: true })
    const bytes = readFileSync(join(copy, name))
    bytes[Math.floor(bytes.length / 2)]! ^= 1
    writeFileSync(join(copy, name), bytes)
    await assert.rejects(verify(copy), name)
  }
})

test('findings that do not apply are told as OpenVEX, and without one there is no document', () => {
  const finding: NotAffected = {
    vulnerability: 'CVE-2026-0001',
    product: 'pkg:npm/example@1.0.0',
    justification: 'vulnerable_code_not_in_execute_path',
    impact: 'Aglet does not call it.',
  }
  assert.equal(vexOf('0.2.0', [], '2026-01-01T00:00:00Z'), undefined)
  const [statement] = vexOf('0.2.0', [finding], '2026-01-01T00:00:00Z')!.statements
  assert.deepEqual(statement?.products[0]?.subcomponents, [{ '@id': finding.product }])
})

test('the docs site has every page, and its links lead to files that exist', async () => {
  const out = join(folder, 'site')
  await buildSite({ docs: join(root, 'docs'), out, version: '0.2.0', contact: 'mailto:security@example.com' })
  const security = readFileSync(join(out, '.well-known/security.txt'), 'utf8')
  assert.match(security, /^Contact: mailto:security@example\.com\nExpires: \d{4}-/)
  const files = new Set(globSync('**/*', { cwd: out }))
  for (const page of globSync('**/*.md', { cwd: join(root, 'docs') }))
    assert.ok(files.has(page.replace(/md$/, 'html')), page)
  for (const file of files) {
    if (!file.endsWith('.html')) continue
    const html = readFileSync(join(out, file), 'utf8')
    assert.doesNotMatch(html, /(?:href|src|srcset)="\//, file)
    for (const [, link] of html.matchAll(/(?:href|src|srcset)="([^"#]+)/g))
      if (!/^(?:https?:|mailto:|data:)/.test(link!))
        assert.ok(files.has(join(file, '..', link!)), `${file} links to ${link}`)
  }
})
