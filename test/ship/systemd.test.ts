import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { findPostgres, startPostgres } from '../fake/postgresServer.ts'
import { deliverReadmeEvent, readWelcome, root, run, sandboxState } from './firstEvent.ts'
import { certificates, downloadsMount, limitWords, nodeImage, openMachine, writeNpmrc } from './machine.ts'
import { packOnce } from './packed.ts'

/** Runs the units in deploy under systemd in a container. `npm run test:systemd` installs the tools. */
const unit = join(root, 'deploy/aglet.service')
/** Out of 10, by `systemd-analyze security`. */
const maxExposure = 2.5

for (const file of [unit, join(root, 'deploy/aglet@.service')])
  test(`${basename(file)} has an exposure of at most 2.5`, async (t) => {
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', file])
    const exposure = Number(/exposure level for aglet\S*\.service: ([\d.]+)/.exec(stdout)?.[1])
    t.diagnostic(`exposure ${exposure}`)
    assert.ok(exposure <= maxExposure, `${exposure}`)
  })

const machine = await openMachine()
const { folder, podman, podmanWords } = machine
const image = 'localhost/systemd'
const name = 'debian'
const inside = (command: string) => podman('exec', name, 'sh', '-c', command)

/** Boots a Debian with npm, instead of the first of the five lines. */
before(async () => {
  const context = join(folder, 'systemd')
  mkdirSync(context)
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends'
  const lines = [
    `FROM ${nodeImage}`,
    `RUN apt-get update -qq && ${install} systemd systemd-sysv dbus adduser`,
    'CMD ["/sbin/init"]',
  ]
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  await machine.build(image, context)
  const npmrc = `${await writeNpmrc(machine)}:/root/.npmrc:ro`
  const mounts = [npmrc, await downloadsMount(), `${certificates}:${certificates}:ro`]
  const volumes = mounts.flatMap((mount) => ['--volume', mount])
  const boots = ['--privileged', '--systemd=always', '--network', 'host', ...limitWords]
  await run('podman', [...podmanWords, 'run', '--detach', '--name', name, ...boots, ...volumes, image])
  await until(async () => /running|degraded/.test(await inside('systemctl is-system-running || true')), 60_000)
})

/** The lines of the first shell block below this heading of the page, without `sudo`. */
function guideLines(heading: string): string[] {
  return shellBlock('docs/deploy.md', heading).split('\n')
}

function shellBlock(file: string, heading: string): string {
  const page = readFileSync(join(root, file), 'utf8')
  const [, block] = new RegExp(`^##+ ${RegExp.escape(heading)}\\n(?:(?!\\n#)[^])*?\`\`\`sh\\n([^\`]+)\`\`\``, 'm').exec(
    page,
  )!
  return block!.trim().replaceAll('sudo ', '')
}

/** The lines of docs/deploy.md that install the unit, with the local tarball instead of the registry's package. */
function installLines(tarball: string): string[] {
  const lines = guideLines('Debian with systemd')
  assert.equal(lines.length, 5)
  assert.match(lines[0]!, /apt-get install .*npm/)
  const npm = /(npm install .*) aglet$/
  assert.match(lines[2]!, npm)
  return lines.slice(1).map((line) => line.replace(npm, `$1 ${tarball}`))
}

test('the five lines of the guide start a service that has its sandbox and delivers the README’s first event', async () => {
  const { tarball } = await packOnce()
  await inside(`mkdir /package`)
  await podman('cp', tarball, `${name}:/package/aglet.tgz`)
  await inside(`echo AGLET_PORT=${await freePort()} > /etc/aglet.env`)
  for (const line of installLines('/package/aglet.tgz')) await inside(line)

  const verified = await inside('systemd-analyze verify --man=no /etc/systemd/system/aglet.service 2>&1')
  assert.equal(verified, '')
  let journal = ''
  await until(async () => {
    journal = await inside('journalctl --unit aglet --output cat --no-pager')
    assert.equal((await inside('systemctl is-active aglet || true')).trim(), 'active', journal)
    return /See where it went/.test(journal)
  }, 60_000)
  const welcome = readWelcome(journal)!
  await deliverReadmeEvent(welcome)
  assert.match(await sandboxState(welcome), /^ok: no files, no network, no new privileges, a memory limit/)

  await inside('systemctl stop aglet')
  assert.match(await inside('journalctl --unit aglet --output cat --no-pager'), /stopping/)
  assert.equal((await inside('systemctl show --property Result --value aglet')).trim(), 'success')
})

const roles = ['control', 'edge', 'worker'] as const
const journalOf = (role: string) => inside(`journalctl --unit aglet@${role} --output cat --no-pager`)

/** Writes the settings of all roles for this database to the files that the unit reads. */
async function writeRoleSettings(databaseUrl: string): Promise<{ control: string; edge: string }> {
  const ports = { control: await freePort(), edge: await freePort(), worker: await freePort() }
  const origins = { control: `http://127.0.0.1:${ports.control}`, edge: `http://127.0.0.1:${ports.edge}` }
  const settings = [
    `AGLET_DATABASE_URL=${databaseUrl}`,
    'AGLET_SYNC_STANDBYS=0',
    `AGLET_ROOT_KEY=${randomBytes(32).toString('hex')}`,
    `AGLET_ORIGIN=${origins.control}`,
    `AGLET_TAG_ORIGIN=${origins.edge}`,
  ]
  await inside(`printf '%s\\n' ${settings.map((line) => `'${line}'`).join(' ')} > /etc/aglet.env`)
  for (const role of roles) await inside(`echo AGLET_PORT=${ports[role]} > /etc/aglet-${role}.env`)
  return origins
}

const skip = (await findPostgres()) || process.env.NEEDS_POSTGRES ? false : 'SKIPPED: no PostgreSQL server is installed'

test('the lines of the guide start the three roles on one database, which deliver the README’s first event', {
  skip,
}, async () => {
  const database = await startPostgres({ synchronous_commit: 'on', fsync: 'on' })
  after(database.stop)
  const origins = await writeRoleSettings(database.url)
  for (const line of guideLines('Roles under systemd')) await inside(line)
  assert.equal(await inside('systemd-analyze verify --man=no /etc/systemd/system/aglet@.service 2>&1'), '')

  let journal = ''
  await until(async () => {
    for (const role of roles) {
      journal = await journalOf(role)
      assert.equal((await inside(`systemctl is-active aglet@${role} || true`)).trim(), 'active', journal)
    }
    return /See where it went/.test(await journalOf('control'))
  }, 60_000)
  const welcome = readWelcome(await journalOf('control'))!
  assert.equal(welcome.origin, origins.control)
  await until(
    () =>
      fetch(`${origins.edge}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    60_000,
  )
  await deliverReadmeEvent({ ...welcome, tagOrigin: origins.edge })

  let doctor = ''
  await until(async () => {
    doctor = await inside(`${shellBlock('docs/scale.md', 'Is everything well?')} 2>&1 || true`)
    return /1 control, 1 edge, 1 worker; every slot has an owner/.test(doctor)
  }, 60_000).catch(() => assert.fail(doctor))

  const units = roles.map((role) => `aglet@${role}`).join(' ')
  await inside(`systemctl stop ${units}`)
  for (const role of roles) {
    assert.match(await journalOf(role), /stopping/, role)
    assert.equal((await inside(`systemctl show --property Result --value aglet@${role}`)).trim(), 'success', role)
  }
})
