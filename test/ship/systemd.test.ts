import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { deliverReadmeEvent, readWelcome, root, run, sandboxState } from './firstEvent.ts'
import { certificates, limitWords, nodeImage, openMachine, writeNpmrc } from './machine.ts'

/** Runs deploy/aglet.service under systemd in a container. `npm run test:systemd` installs the tools. */
const unit = join(root, 'deploy/aglet.service')
/** Of 10, by `systemd-analyze security`. */
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

/** Boots a Debian with npm, which replaces the first of the five lines. */
before(async () => {
  const context = join(folder, 'systemd')
  mkdirSync(context)
  const install = 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends'
  const lines = [
    `FROM ${nodeImage}`,
    `RUN apt-get update -qq && ${install} systemd systemd-sysv adduser`,
    'CMD ["/sbin/init"]',
  ]
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  await machine.build(image, context)
  const npmrc = `${await writeNpmrc(machine)}:/root/.npmrc:ro`
  const volumes = ['--volume', npmrc, '--volume', `${certificates}:${certificates}:ro`]
  const boots = ['--privileged', '--systemd=always', '--network', 'host', ...limitWords]
  await run('podman', [...podmanWords, 'run', '--detach', '--name', name, ...boots, ...volumes, image])
  await until(async () => /running|degraded/.test(await inside('systemctl is-system-running || true')), 60_000)
})

/** The lines of docs/deploy.md that install the unit, with the local tarball in place of the registry's package. */
function installLines(tarball: string): string[] {
  const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
  const [, block] = /^## Debian with systemd\n[^#]*?```sh\n([^`]+)```/m.exec(page)!
  const lines = block!.trim().split('\n')
  assert.equal(lines.length, 5)
  assert.match(lines[0]!, /apt-get install .*npm/)
  const npm = /(npm install .*) aglet$/
  assert.match(lines[2]!, npm)
  return lines.slice(1).map((line) => line.replaceAll('sudo ', '').replace(npm, `$1 ${tarball}`))
}

test('the five lines of the guide start a service that has its sandbox and delivers the README’s first event', async () => {
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root, maxBuffer: 2 ** 26 })
  await inside(`mkdir /package`)
  for (const file of (await run('ls', [folder])).stdout.split('\n').filter((each) => each.endsWith('.tgz')))
    await podman('cp', join(folder, file), `${name}:/package/aglet.tgz`)
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
