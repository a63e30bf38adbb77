import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { UsageError } from '#cli/operatorCall.ts'
import { ApiError } from '#contract/client.ts'
import { explainNoAnswer, resolveConnection } from './connection.ts'
import { deleteProfile, profilesPath, readProfiles, saveProfile } from './profiles.ts'
import { workingFolder } from './workingFolder.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-profiles-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const envOf = (name: string) => ({ XDG_CONFIG_HOME: join(folder, name) })
const production = { baseUrl: 'https://a.example/v1', token: 'aglet_live_x', team: 'team_1' }
const sandbox = { baseUrl: 'https://a.example/sandbox/v1', token: 'aglet_test_x', team: 'team_2' }

test('a profile is stored per environment, in a file that only its user may read', () => {
  const env = envOf('stored')
  saveProfile('default', 'production', production, env)
  saveProfile('default', 'sandbox', sandbox, env)
  assert.deepEqual(readProfiles(env), { default: { production, sandbox } })
  assert.equal(statSync(profilesPath(env)).mode & 0o777, 0o600)
  assert.deepEqual(resolveConnection({}, env), production)
  assert.deepEqual(resolveConnection({ environment: 'sandbox', team: 'team_3' }, env), { ...sandbox, team: 'team_3' })
  assert.equal(deleteProfile('default', 'sandbox', env), true)
  assert.equal(deleteProfile('default', 'sandbox', env), false)
  assert.throws(() => resolveConnection({ environment: 'sandbox' }, env), UsageError)
})

test('without a profile, the error asks for --base-url and --token', () => {
  assert.throws(() => resolveConnection({}, envOf('none')), /--base-url and --token/)
  assert.throws(() => resolveConnection({ profile: 'work' }, envOf('none')), /Profile work not found/)
})

test('a stored token is not sent to another address', () => {
  const env = envOf('apart')
  saveProfile('default', 'production', production, env)
  assert.throws(() => resolveConnection({ baseUrl: 'https://thief.example/v1' }, env), UsageError)
  assert.throws(() => resolveConnection({ token: 'aglet_live_y' }, env), UsageError)
})

test('a token is read from the file of --token-file', () => {
  const path = join(folder, 'token')
  writeFileSync(path, 'aglet_live_z\n')
  const flags = { baseUrl: production.baseUrl, tokenFile: path }
  assert.equal(resolveConnection(flags, envOf('none')).token, 'aglet_live_z')
  assert.throws(() => resolveConnection({ ...flags, tokenFile: join(folder, 'nowhere') }, envOf('none')), UsageError)
})

test('an environment that differs from that of the address is refused', () => {
  const { baseUrl, token } = sandbox
  assert.throws(() => resolveConnection({ baseUrl, token, environment: 'production' }, {}), UsageError)
  assert.equal(resolveConnection({ baseUrl, token, environment: 'sandbox' }, {}).baseUrl, baseUrl)
})

test('a profiles file that cannot be parsed is an error and is not overwritten', () => {
  const env = envOf('broken')
  saveProfile('default', 'production', production, env)
  writeFileSync(profilesPath(env), '{ half')
  assert.throws(() => readProfiles(env), /cannot be read/)
  assert.throws(() => saveProfile('default', 'production', production, env), /cannot be read/)
})

test('a connection failure or a response without JSON is explained; API errors and bugs are rethrown unchanged', async () => {
  await assert.rejects(
    explainNoAnswer('http://127.0.0.1:1/v1', fetch('http://127.0.0.1:1/v1')),
    /No Aglet server responds at/,
  )
  await assert.rejects(explainNoAnswer('not an address', fetch('not an address')), /No Aglet server responds at/)
  await assert.rejects(explainNoAnswer('a', new Response('<html>').json()), /No Aglet server responds at/)
  const refused = new ApiError({ message: 'no', statusCode: 403 })
  await assert.rejects(explainNoAnswer('a', Promise.reject(refused)), refused)
  const bug = new TypeError('x is not a function')
  await assert.rejects(explainNoAnswer('a', Promise.reject(bug)), bug)
})

test('relative paths start at the working directory of the caller of npm run', () => {
  const env = { npm_package_name: 'aglet', npm_lifecycle_event: 'aglet', INIT_CWD: '/home/jane' }
  assert.equal(workingFolder(env), '/home/jane')
  assert.equal(workingFolder({ ...env, npm_package_name: 'shop' }), process.cwd())
  assert.equal(workingFolder({}), process.cwd())
})
