import assert from 'node:assert/strict'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'
import { extract } from 'tar'
import aglet from '../../package.json' with { type: 'json' }
import { verifyLines } from '../../scripts/release/verifyLines.ts'
import { freePort, until } from '../fake/aglet.ts'
import { deliverReadmeEvent, environment, readWelcome, root, run, start, stop, welcomeOf } from './firstEvent.ts'
import { certificates, debianImage, limitWords, openMachine, writeNpmrc } from './machine.ts'

/** A dry release of this commit; each of its files is installed on a bare Debian. `npm run test:release`. */
const machine = await openMachine()
const { folder, podman, podmanWords } = machine
const release = join(root, 'release')
const version = (await run('git', ['tag', '--list', 'v*'], { cwd: root })).stdout.trim() === '' ? aglet.version : next()
const fileOf = (kind: string) => join(release, `aglet-${version}${kind}`)

function next(): string {
  const [major, minor, patch] = aglet.version.split('.').map(Number)
  return `${major}.${minor}.${patch! + 1}`
}

before(async () => {
  const words = ['scripts/release/release.ts', version, '--dry-run']
  const env = { ...environment, npm_execpath: process.env.npm_execpath } // from which the image takes npm
  const { stdout } = await run(process.execPath, words, { cwd: root, env, maxBuffer: 2 ** 26 })
  process.stdout.write(stdout)
})

const sums = () =>
  readFileSync(join(release, 'SHA256SUMS'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  ') as [sha256: string, name: string])

test('the list of checksums has every file, and the first two commands refuse a release with one changed byte', async () => {
  const listed = sums().map(([, name]) => name)
  const unlisted = ['SHA256SUMS', 'SHA256SUMS.sig', 'aglet-release.pub']
  assert.deepEqual(globSync('*', { cwd: release }).sort(), [...listed, ...unlisted].sort())
  const copy = join(folder, 'copy')
  cpSync(release, copy, { recursive: true })
  const verify = () => run('sh', ['-ec', verifyLines(version).slice(0, 2).join('\n')], { cwd: copy })
  await verify()
  for (const name of ['SHA256SUMS', 'SHA256SUMS.sig', ...listed]) {
    const whole = readFileSync(join(copy, name))
    const changed = Buffer.from(whole)
    changed[Math.floor(changed.length / 2)]! ^= 1
    writeFileSync(join(copy, name), changed)
    await assert.rejects(verify(), name)
    writeFileSync(join(copy, name), whole)
  }
})

test('the provenance names the digest of each file, and the bill of materials each package that the program needs', () => {
  const { subject } = JSON.parse(readFileSync(fileOf('.provenance.json'), 'utf8'))
  const others = sums().filter(([, name]) => !name.endsWith('.provenance.json'))
  assert.deepEqual(
    subject.map(({ name, digest }: { name: string; digest: { sha256: string } }) => [digest.sha256, name]),
    others,
  )
  const { components } = JSON.parse(readFileSync(fileOf('.cdx.json'), 'utf8')) as {
    components: { group?: string; name: string }[]
  }
  const named = new Set(components.map(({ group, name }) => (group ? `${group}/${name}` : name)))
  for (const name of Object.keys(aglet.dependencies)) assert.ok(named.has(name), name)
})

test('the package and the units make a service on a Debian with its own npm, which delivers the README’s first event', async () => {
  const context = join(folder, 'debian')
  mkdirSync(context)
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends'
  const lines = [
    `FROM ${debianImage}`,
    `RUN apt-get update -qq && ${install} systemd systemd-sysv dbus adduser npm`,
    'CMD ["/sbin/init"]',
  ]
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  await machine.build('localhost/debian', context)
  const volumes = [
    '--volume',
    `${await writeNpmrc(machine)}:/root/.npmrc:ro`,
    '--volume',
    `${certificates}:${certificates}:ro`,
  ]
  const boots = ['--privileged', '--systemd=always', '--network', 'host', ...limitWords]
  await run('podman', [...podmanWords, 'run', '--detach', '--name', 'debian', ...boots, ...volumes, 'localhost/debian'])
  const inside = (command: string) => podman('exec', 'debian', 'sh', '-c', command)
  await until(async () => /running|degraded/.test(await inside('systemctl is-system-running || true')), 60_000)
  for (const [kind, name] of [
    ['.tgz', 'package.tgz'],
    ['-units.tgz', 'units.tgz'],
  ] as const)
    await podman('cp', fileOf(kind), `debian:/${name}`)
  await inside(`echo AGLET_PORT=${await freePort()} > /etc/aglet.env`)
  await inside('adduser --system --group --no-create-home --home /var/lib/aglet aglet')
  await inside('npm install --global --ignore-scripts --prefix /opt/aglet /package.tgz')
  await inside('tar --extract --gzip --file /units.tgz --directory /etc/systemd/system')
  await inside('systemctl daemon-reload && systemctl enable --now aglet')
  let journal = ''
  await until(async () => {
    journal = await inside('journalctl --unit aglet --output cat --no-pager')
    assert.equal((await inside('systemctl is-active aglet || true')).trim(), 'active', journal)
    return /See where it went/.test(journal)
  }, 120_000)
  await deliverReadmeEvent(readWelcome(journal)!)
})

test('the image is loaded from its file and delivers the README’s first event', async () => {
  const [file] = globSync(fileOf('-image-*.tar.gz'))
  const load = `gunzip --stdout ${file} | podman ${podmanWords.join(' ')} load`
  const image = /localhost\/aglet:\S+/.exec((await run('sh', ['-c', load])).stdout)![0]
  const port = await freePort()
  const settings = ['--env', 'AGLET_HOST=127.0.0.1', '--env', `AGLET_PORT=${port}`]
  const words = ['run', '--rm', '--network', 'host', ...limitWords, ...settings, image]
  const started = start(['podman', ...podmanWords, ...words], { cwd: folder })
  await deliverReadmeEvent(await welcomeOf(started))
  await stop(started)
})

test('the chart is one of its version, and the docs site has its pages', async (t) => {
  const chart = join(folder, 'chart')
  mkdirSync(chart)
  await extract({ file: fileOf('-chart.tgz'), cwd: chart })
  assert.match(readFileSync(join(chart, 'aglet/Chart.yaml'), 'utf8'), new RegExp(`^version: ${version}$`, 'm'))
  const helm = join(root, 'node_modules/.cache/aglet/go/helm')
  if (existsSync(helm))
    await run(helm, ['template', 'shop', fileOf('-chart.tgz'), '--set', 'origin=https://a.example.com'])
  else t.diagnostic('NOT RUN: helm template; npm run test:helm builds helm where Go is')
  const site = join(folder, 'docs')
  mkdirSync(site)
  await extract({ file: fileOf('-docs.tgz'), cwd: site })
  const pages = globSync('docs/**/*.md', { cwd: root }).map((page) => basename(page, '.md'))
  const files = new Set(globSync('site/**/*.html', { cwd: site }).map((page) => basename(page, '.html')))
  assert.deepEqual(
    pages.filter((page) => !files.has(page)),
    [],
  )
})
