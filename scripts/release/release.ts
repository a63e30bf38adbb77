import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import aglet from '../../package.json' with { type: 'json' }
import { releaseChangelog, releaseNotes } from './changelog.ts'
import { refusalOf } from './refusal.ts'
import { publicPem, readReleaseKey, throwawayKey } from './signature.ts'
import { verifyLines } from './verifyLines.ts'

/**
 * Makes a release: `npm run release -- 0.2.0`. In a clean clone it writes the version and the changelog, stores a data
 * directory for the upgrade tests of later versions, commits and tags, makes all artefacts and signs them. Only if everything
 * succeeds do the commit, the tag and `release/` reach this checkout. It publishes nothing: at the end it prints the commands
 * that do. `--dry-run` only makes `release/`. `--without image,docs` leaves artefacts out of a dry run.
 */
const root = join(import.meta.dirname, '../..')
const publicKeyFile = 'aglet-release.pub'

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    'new-key': { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
  },
})
const [version = ''] = positionals
const isDryRun = values['dry-run']
if (values.without !== '' && !isDryRun) fail('A release needs all its artefacts, so --without requires --dry-run.')

const runIn = (cwd: string, program: string, words: string[], input?: string) =>
  execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 2] } : { input, stdio: ['pipe', 'pipe', 2] }),
  })
const git = (...words: string[]) => runIn(root, 'git', words).trim()

const keyFile = process.env.AGLET_RELEASE_KEY
const refusal = refusalOf({
  version,
  lastVersion: aglet.version,
  tagged: git('tag', '--list', 'v*')
    .split('\n')
    .filter(Boolean)
    .map((tag) => tag.slice(1)),
  changes: git('status', '--porcelain'),
  changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
  hasKey: keyFile !== undefined && existsSync(keyFile),
  isDryRun,
})
if (refusal) fail(refusal)

/** The private key as PEM, and the public key. Refuses a key other than that of earlier releases. */
function chooseKey(): { pem: string; publicKey: string } {
  if (!keyFile || !existsSync(keyFile)) {
    const key = throwawayKey()
    return { pem: key.export({ type: 'pkcs8', format: 'pem' }).toString(), publicKey: publicPem(key) }
  }
  const pem = readFileSync(keyFile, 'utf8')
  const publicKey = publicPem(readReleaseKey(pem, process.env.AGLET_RELEASE_KEY_PASSWORD))
  const known = join(root, publicKeyFile)
  if (!isDryRun && !values['new-key'] && existsSync(known) && readFileSync(known, 'utf8') !== publicKey)
    fail(`This key is not the one in ${publicKeyFile}: use that one, or --new-key if it is lost.`)
  return { pem, publicKey }
}

/** Writes the version into each file that contains it, and the notes under its heading. */
function writeVersion(clone: string): void {
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(clone, file), change(readFileSync(join(clone, file), 'utf8')))
  edit('CHANGELOG.md', (text) => releaseChangelog(text, version, new Date().toISOString().slice(0, 10)))
  edit('deploy/helm/aglet/Chart.yaml', (text) =>
    text.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  )
  const flags = ['--no-git-tag-version', '--allow-same-version', '--ignore-scripts', '--workspaces-update=false']
  runIn(clone, 'npm', ['version', version, ...flags])
}

/** Commits and tags the release in the clone, as the person who releases. */
function commit(clone: string): void {
  const who = ['user.name', 'user.email'].flatMap((name) => ['-c', `${name}=${git('config', name)}`])
  const notes = releaseNotes(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'), version)!
  runIn(clone, 'git', ['add', '--all'])
  runIn(clone, 'git', [...who, 'commit', '--quiet', '--message', `Release ${version}`])
  const message = `Aglet ${version}\n\n${notes}\n\nTo verify it:\n\n${verifyLines(version).join('\n')}`
  runIn(clone, 'git', [...who, 'tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--message', message])
}

const folder = mkdtempSync(join(tmpdir(), 'aglet-release-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const clone = join(folder, 'aglet')
const out = join(folder, 'release')
try {
  const { pem, publicKey } = chooseKey()
  git('clone', '--quiet', root, clone)
  writeVersion(clone)
  if (!isDryRun) writeFileSync(join(clone, publicKeyFile), publicKey)
  runIn(clone, 'npm', ['run', '--silent', 'release:data'])
  commit(clone)
  const words = ['scripts/release/make.ts', '--version', version, '--out', out, `--without=${values.without}`]
  runIn(clone, process.execPath, words, pem)
  for (const line of verifyLines(version, clone)) runIn(out, 'sh', ['-c', line])
} catch (error) {
  fail(`The release was not made, and nothing was changed: ${(error as Error).message}`)
}

rmSync(join(root, 'release'), { recursive: true, force: true })
cpSync(out, join(root, 'release.half'), { recursive: true })
renameSync(join(root, 'release.half'), join(root, 'release'))
if (!isDryRun) {
  git('fetch', '--quiet', clone, 'HEAD', 'tag', `v${version}`)
  git('merge', '--quiet', '--ff-only', `v${version}`)
}
const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
const publishing = `To publish it, from a CI whose identity npm can vouch for (that is what signs the provenance at npm):

  git push origin HEAD v${version}
  npm publish release/aglet-${version}.tgz

To take it back before that: git tag --delete v${version} && git reset --hard HEAD~1`
process.stdout.write(`${isDryRun ? 'A dry run made' : 'Made'} Aglet ${version} in release/:

${sums}
To verify it, in the folder of the files:

${verifyLines(version).join('\n')}

${isDryRun ? 'Nothing else was changed.' : publishing}
`)
