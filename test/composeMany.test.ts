import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings, type Settings } from '#settings/settings.ts'
import { deployFolder, readComposeFile, restrictionWords } from './fake/composeFile.ts'
import { fillVariables, type ManyComposeService, readManyComposeFile } from './fake/manyComposeFile.ts'

const { services, networks, volumes } = readManyComposeFile()
const names = { control: 1, edge: 2, worker: 2 }
const ofAglet = Object.entries(services).filter(([, { image }]) => image === 'localhost/aglet')
const secrets = { AGLET_NAME: 'aglet.example.com', AGLET_ROOT_KEY: '0'.repeat(64), POSTGRES_PASSWORD: 'secret' }

const settingsOf = ({ environment }: ManyComposeService, variables: Readonly<Record<string, string>>): Settings => {
  const filled = Object.entries(environment).map(([name, value]) => [name, fillVariables(value, variables)] as const)
  return readSettings(Object.fromEntries(filled), { host: '0.0.0.0' })
}

test('the file starts one control, two edges and two workers on one database', () => {
  const roles = ofAglet.map(([, service]) => settingsOf(service, secrets).role)
  for (const [role, count] of Object.entries(names)) assert.equal(roles.filter((each) => each === role).length, count)
  assert.equal(roles.length, 5)
  for (const [name, service] of ofAglet) {
    const settings = settingsOf(service, secrets)
    assert.equal(settings.databaseUrl, 'postgres://aglet:secret@database/aglet', name)
    assert.deepEqual([settings.origin, settings.syncStandbys], ['https://aglet.example.com', 1], name)
    assert.equal(settings.rootKey, secrets.AGLET_ROOT_KEY, name)
    assert.deepEqual(settings.trustProxy.ranges, [networks.outside.ipam.config[0]!.subnet], name)
  }
})

test('a database of its own takes the place of the trial one', () => {
  const url = 'postgres://aglet:other@10.0.0.1,10.0.0.2/aglet'
  for (const [name, service] of ofAglet)
    assert.equal(settingsOf(service, { ...secrets, AGLET_DATABASE_URL: url }).databaseUrl, url, name)
  const trial = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('trial'))
  assert.deepEqual(trial.map(([name]) => name).sort(), ['database', 'standby'])
})

test('a missing name or root key is refused with the line to write', () => {
  for (const [, service] of ofAglet) {
    assert.throws(() => settingsOf(service, { ...secrets, AGLET_NAME: '' }), /write AGLET_NAME=aglet.example.com/)
    assert.throws(() => settingsOf(service, { ...secrets, AGLET_ROOT_KEY: '' }), /openssl rand -hex 32/)
  }
})

test('each process has the restrictions, the check and the time to end of the compose file of one process', () => {
  const one = readComposeFile().services.aglet as ManyComposeService
  for (const [name, service] of ofAglet) {
    assert.deepEqual(restrictionWords(service), restrictionWords(one), name)
    assert.deepEqual(service.healthcheck, one.healthcheck, name)
    assert.equal(service.stop_grace_period, one.stop_grace_period, name)
  }
})

test('only the proxy has ports outside, and it does not reach the database', () => {
  assert.deepEqual(
    Object.entries(services).flatMap(([name, { ports }]) => (ports ? [name] : [])),
    ['proxy'],
  )
  assert.deepEqual(services.proxy!.networks, ['outside'])
  for (const name of ['database', 'standby']) assert.deepEqual(services[name]!.networks, ['inside'])
  assert.equal(networks.inside.internal, true)
})

test('every file and volume of the compose file exists, and scripts can be run', () => {
  for (const { build, volumes: mounts = [] } of Object.values(services)) {
    if (build) assert.ok(existsSync(join(deployFolder, build.context, build.dockerfile)))
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      assert.ok(source.startsWith('./') ? existsSync(join(deployFolder, source)) : source in volumes, mount)
      if (source.endsWith('.sh')) assert.ok(statSync(join(deployFolder, source)).mode & 0o111, mount)
    }
  }
})
