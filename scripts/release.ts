import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import aglet from '../package.json' with { type: 'json' }
import { isLater, releaseChangelog, releaseNotes } from './changelog.ts'

/**
 * Makes a release: `npm run release -- 0.2.0`. Writes the version and the changelog, keeps a data directory for the upgrade
 * tests of later versions, commits and tags, and writes the package, its bill of materials and the checksums into release/.
 * It publishes nothing: at the end it prints the commands that do.
 */
const root = join(import.meta.dirname, '..')
const out = join(root, 'release')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const write = (file: string, text: string) => writeFileSync(join(root, file), text)
const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 2] })

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

/** Writes the version into each file that contains it. */
function writeVersion(version: string): void {
  const flags = ['--no-git-tag-version', '--allow-same-version', '--ignore-scripts', '--workspaces-update=false']
  run('npm', 'version', version, ...flags)
  const chart = 'deploy/helm/aglet/Chart.yaml'
  write(
    chart,
    read(chart)
      .replace(/^version: .*$/m, `version: ${version}`)
      .replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  )
}

/** The bill of materials of the runtime dependencies, as CycloneDX JSON. */
const billOfMaterials = () =>
  run(
    'npm',
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--workspaces=false',
    '--package-lock-only',
  )

/** Writes the package, its bill of materials and the checksums. Returns the names of the files. */
function writeArtefacts(version: string): string[] {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  run('npm', 'pack', '--silent', '--pack-destination', out)
  const names = [`aglet-${version}.tgz`, `aglet-${version}.cdx.json`]
  writeFileSync(join(out, names[1]!), billOfMaterials())
  const sums = names.map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex')
    return `${sum}  ${name}\n`
  })
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  return [...names, 'SHA256SUMS']
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'without-data': { type: 'boolean', default: false } },
})
const [version = ''] = positionals
const isFirst = version === aglet.version && run('git', 'tag', '--list', `v${version}`) === ''
if (!isFirst && !isLater(version, aglet.version))
  fail(`Say which version: npm run release -- X.Y.Z, later than ${aglet.version}.`)
if (run('git', 'status', '--porcelain') !== '') fail('There are uncommitted changes: commit or stash them.')

try {
  write('CHANGELOG.md', releaseChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)))
} catch (problem) {
  fail((problem as Error).message)
}
writeVersion(version)
if (!values['without-data']) run('npm', 'run', '--silent', 'release:data')
run('git', 'add', '--all')
run('git', 'commit', '--quiet', '--message', `Release ${version}`)
run(
  'git',
  'tag',
  '--annotate',
  `v${version}`,
  '--message',
  `Aglet ${version}\n\n${releaseNotes(read('CHANGELOG.md'), version)}`,
)
const names = writeArtefacts(version)
process.stdout.write(`Aglet ${version} is committed and tagged. In release/: ${names.join(', ')}.

To publish it, from a CI whose identity npm can vouch for (that is what signs the provenance):

  git push origin HEAD v${version}
  npm publish release/aglet-${version}.tgz

To take it back before that: git tag --delete v${version} && git reset --hard HEAD~1
`)
