import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ApiError } from '#contract/client.ts'
import { WrongUsage } from '../call.ts'
import { accessOf, reach } from './connection.ts'
import { folderOf } from './folder.ts'
import { dropProfile, keepProfile, profilesFile, readProfiles } from './profiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-profiles-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const envOf = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name) })
const production = { baseUrl: 'https://a.example/v1', token: 'aglet_live_x', team: 'team_1' }
const sandbox = { baseUrl: 'https://a.example/sandbox/v1', token: 'aglet_test_x', team: 'team_2' }

test('a profile is kept per environment, in a file that only its user may read', () => {
  const env = envOf('kept')
  keepProfile('default', 'production', production, env)
  keepProfile('default', 'sandbox', sandbox, env)
  assert.deepEqual(readProfiles(env), { default: { production, sandbox } })
  assert.equal(statSync(profilesFile(env)).mode & 0o777, 0o600)
  assert.deepEqual(accessOf({}, env), production)
  assert.deepEqual(accessOf({ environment: 'sandbox', team: 'team_3' }, env), { ...sandbox, team: 'team_3' })
  assert.equal(dropProfile('default', 'sandbox', env), true)
  assert.equal(dropProfile('default', 'sandbox', env), false)
  assert.throws(() => accessOf({ environment: 'sandbox' }, env), WrongUsage)
})

test('without a profile, address and token are asked for in one sentence', () => {
  assert.throws(() => accessOf({}, envOf('none')), /--base-url and --token/)
  assert.throws(() => accessOf({ profile: 'work' }, envOf('none')), /no profile work/)
})

test('a kept token is never sent to another address', () => {
  const env = envOf('apart')
  keepProfile('default', 'production', production, env)
  assert.throws(() => accessOf({ baseUrl: 'https://thief.example/v1' }, env), WrongUsage)
  assert.throws(() => accessOf({ token: 'aglet_live_y' }, env), WrongUsage)
})

test('a token may come from a file', () => {
  const path = join(folder, 'token')
  writeFileSync(path, 'aglet_live_z\n')
  const flags = { baseUrl: production.baseUrl, tokenFile: path }
  assert.equal(accessOf(flags, envOf('none')).token, 'aglet_live_z')
  assert.throws(() => accessOf({ ...flags, tokenFile: join(folder, 'nowhere') }, envOf('none')), WrongUsage)
})

test('an environment that the address is not of is refused', () => {
  const { baseUrl, token } = sandbox
  assert.throws(() => accessOf({ baseUrl, token, environment: 'production' }, {}), WrongUsage)
  assert.equal(accessOf({ baseUrl, token, environment: 'sandbox' }, {}).baseUrl, baseUrl)
})

test('profiles that cannot be read are told in one sentence, and are not overwritten', () => {
  const env = envOf('broken')
  keepProfile('default', 'production', production, env)
  writeFileSync(profilesFile(env), '{ half')
  assert.throws(() => readProfiles(env), /cannot be read/)
  assert.throws(() => keepProfile('default', 'production', production, env), /cannot be read/)
})

test('where nothing answers it is said so; what is refused stays what it is, and so does a bug', async () => {
  await assert.rejects(
    reach('http://127.0.0.1:1/v1', fetch('http://127.0.0.1:1/v1')),
    /Nothing that answers like Aglet/,
  )
  await assert.rejects(reach('not an address', fetch('not an address')), /Nothing that answers like Aglet/)
  await assert.rejects(reach('a', new Response('<html>').json()), /Nothing that answers like Aglet/)
  const refused = new ApiError({ message: 'no', statusCode: 403 })
  await assert.rejects(reach('a', Promise.reject(refused)), refused)
  const bug = new TypeError('x is not a function')
  await assert.rejects(reach('a', Promise.reject(bug)), bug)
})

test('paths begin where the caller of npm run stood', () => {
  const env = { npm_package_name: 'aglet', npm_lifecycle_event: 'aglet', INIT_CWD: '/home/jane' }
  assert.equal(folderOf(env), '/home/jane')
  assert.equal(folderOf({ ...env, npm_package_name: 'shop' }), process.cwd())
  assert.equal(folderOf({}), process.cwd())
})
