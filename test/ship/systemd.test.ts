import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { codeWalls, deliverReadmeEvent, readWelcome, root, run } from './firstEvent.ts'
import { certificates, limitWords, nodeImage, openMachine, writeNpmrc } from './machine.ts'

/** deploy/aglet.service under a systemd that runs, in a container. `npm run test:systemd` sees to what this needs. */
const unit = join(root, 'deploy/aglet.service')
/** `systemd-analyze security` calls up to 2.5 of 10 fine. */
const mostExposure = 2.5

test('the unit exposes little of the system', async (t) => {
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const exposure = Number(/exposure level for aglet\.service: ([\d.]+)/.exec(stdout)?.[1])
  t.diagnostic(`exposure ${exposure}`)
  assert.ok(exposure <= mostExposure, `${exposure}`)
})

const machine = await openMachine()
const { folder, podman, podmanWords } = machine
const image = 'localhost/systemd'
const name = 'debian'
const inside = (command: string) => podman('exec', name, 'sh', '-c', command)

/** A Debian that boots, with npm: the first of the five lines installs no more. */
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

/** The lines of docs/deploy.md that install it, with the package that is packed here in place of the registry's. */
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

test('the five lines of the guide start a service that has its walls and delivers the README’s first event', async () => {
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
  assert.match(await codeWalls(welcome), /^ok: no files, no network, no new privileges, no memory beyond a bound/)

  await inside('systemctl stop aglet')
  assert.match(await inside('journalctl --unit aglet --output cat --no-pager'), /stopping/)
  assert.equal((await inside('systemctl show --property Result --value aglet')).trim(), 'success')
})
