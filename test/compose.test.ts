import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings } from '#settings/settings.ts'
import { deployFolder, readComposeFile, restrictionWords } from './fake/composeFile.ts'

const { services, volumes } = readComposeFile()
const { aglet, proxy } = services
const read = (name: string) => readFileSync(join(deployFolder, name), 'utf8')
const containerfile = read('Containerfile')

/** The value of a variable in compose if .env only has AGLET_NAME. */
const filled = (value: string) =>
  value
    .replace(/\$\{AGLET_NAME(:\?[^}]*)?\}/g, 'aglet.example.com')
    .replace(/\$\{\w+:-([^}]*)\}/g, (_, fallback: string) => fallback)

test('the settings of the compose file are settings of Aglet', () => {
  const environment = Object.fromEntries(
    Object.entries(aglet.environment).map(([name, value]) => [name, filled(value)] as const),
  )
  const settings = readSettings(environment, {})
  assert.equal(settings.origin, 'https://aglet.example.com')
  assert.deepEqual(settings.trustProxy.ranges, ['127.0.0.1/32'])
})

test('every file and volume of the compose file exists, and the data lies in the volume of the image', () => {
  const { context, dockerfile } = aglet.build!
  assert.ok(existsSync(join(deployFolder, context, dockerfile)))
  for (const mount of [...aglet.volumes, ...proxy.volumes]) {
    const [source = ''] = mount.split(':')
    assert.ok(source.startsWith('./') ? existsSync(join(deployFolder, source)) : source in volumes, mount)
  }
  const [, volume] = /^VOLUME (\S+)$/m.exec(containerfile)!
  assert.ok(aglet.volumes.includes(`data:${volume}`))
})

test('every variable of the Caddyfile is given by the compose file or has a default', () => {
  for (const [, name, fallback] of read('Caddyfile').matchAll(/\{\$(\w+)(:[^}]*)?\}/g))
    assert.ok(fallback !== undefined || name! in proxy.environment, name)
  for (const value of Object.values(proxy.environment)) assert.doesNotMatch(filled(value), /\$/)
})

test('the proxy shares the network of Aglet, whose port nobody else reaches', () => {
  assert.deepEqual([proxy.network_mode, aglet.environment.AGLET_HOST], ['service:aglet', '127.0.0.1'])
  assert.deepEqual(aglet.ports, ['80:80', '443:443', '443:443/udp'])
  const [, port] = /AGLET_PORT=(\d+)/.exec(containerfile)!
  assert.ok(read('Caddyfile').includes(`{$AGLET_PORT:${port}}`))
  assert.ok(aglet.healthcheck!.test.at(-1)!.includes(`http://127.0.0.1:${port}/healthz`))
})

test('the restrictions of the compose file are those that the test of the container runs with', () => {
  assert.deepEqual(restrictionWords(aglet), [
    '--read-only',
    ...['--tmpfs', '/tmp'],
    ...['--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges'],
    ...['--security-opt', `seccomp=${join(deployFolder, 'seccomp.json')}`],
  ])
})
