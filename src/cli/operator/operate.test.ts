import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createApplication } from '#account/application.ts'
import { waitForEmail } from '#account/emailChange.ts'
import { operator } from '#account/privilege.ts'
import { environments } from '#contract/me.ts'
import { scopes } from '#contract/scopes.ts'
import { readSettings } from '#contract/settings.ts'
import { systemClock } from '#kit/clock.ts'
import { silent } from '#kit/log.ts'
import { openSqliteStore } from '#store/sqlite/store.ts'
import { openSqliteStream } from '#stream/sqlite.ts'
import { makePerson } from '../../../test/fake/sessionCases.ts'
import type { Call, Outcome } from '../call.ts'
import { runCommand } from './commands.ts'
import { dataDirAt, lockDataDir, makeDataDir } from './dataDir.ts'
import { doctor } from './doctor.ts'
import { type HomeOptions, openHome } from './home.ts'
import { operate } from './operate.ts'
import { listenOnSocket } from './socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-operate-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const adapters = { openStore: openSqliteStore, openStream: openSqliteStream }
const optionsFor = (name: string): HomeOptions => ({
  dir: dataDirAt(join(folder, name)),
  settings: readSettings({}, {}),
  adapters,
  clock: systemClock,
})
const call = (command: string, input: Record<string, unknown>): Call => ({ command, environment: 'sandbox', input })

function resultOf(outcome: Outcome): Record<string, unknown> {
  assert.ok('result' in outcome, JSON.stringify(outcome))
  return outcome.result
}
function refusalOf(outcome: Outcome): number {
  assert.ok('refused' in outcome)
  return outcome.refused.statusCode
}

test('with no server running, commands work on the files of the data directory', async () => {
  const options = optionsFor('down')
  const run = (command: string, input: Record<string, unknown>) => operate(call(command, input), options)
  const { teamId } = resultOf(await run('team create', { name: 'Shop' }))
  const tag = { team: teamId, name: 'Site', domain: 'Shop.example' }
  const { tagId, tagUrl } = resultOf(await run('tag create', tag))
  assert.equal(tagUrl, `http://127.0.0.1:4000/sandbox/t/${tagId}`)
  const { token, tokenId } = resultOf(await run('token create', { team: teamId, expires: '12h' }))
  assert.match(`${token}`, /^aglet_test_/)

  const home = await openHome('sandbox', options)
  const kept = await home.store.tokenById(`${tokenId}`)
  assert.deepEqual([kept?.scopes, kept!.expiresAt - kept!.createdAt], [[...scopes], 12 * 3_600_000])
  assert.equal(home.snapshots.get(`${tagId}`)?.domain, 'shop.example')
  await home.store.close()

  resultOf(await run('token revoke', { id: tokenId }))
  assert.equal(refusalOf(await run('tag create', tag)), 409)
})

test('the operator sees every team, and the applications that wait, and approves them', async () => {
  const options = optionsFor('approve')
  const run = async (command: string, input: Record<string, unknown> = {}) =>
    resultOf(await operate(call(command, input), options))
  const { teamId } = await run('team create', { name: 'Shop' })
  const [team, ...others] = (await run('team list')).teams as Record<string, unknown>[]
  assert.deepEqual([team?.teamId, team?.name, others], [teamId, 'Shop', []])
  const home = await openHome('sandbox', options)
  const write = { name: 'Wizard', scopes: ['script:read'] as ['script:read'] }
  const { application } = await createApplication(home, `${teamId}`, write, operator)
  await home.store.close()
  const { applicationId } = application
  const [waiting] = (await run('application pending')).applications as Record<string, unknown>[]
  assert.deepEqual([waiting?.applicationId, waiting?.teamId, waiting?.status], [applicationId, teamId, 'pending'])
  assert.deepEqual(await run('application approve', { id: applicationId }), { applicationId, teamId, name: 'Wizard' })
  assert.deepEqual((await run('application pending')).applications, [])
  assert.equal(refusalOf(await operate(call('application approve', { id: 'app_x' }), options)), 404)
})

test('the operator sees the e-mails that wait to be confirmed, and makes the link for one', async () => {
  const options = optionsFor('emails')
  const run = async (command: string, input: Record<string, unknown> = {}) =>
    resultOf(await operate(call(command, input), options))
  await run('team create', { name: 'Shop' })
  const home = await openHome('sandbox', options)
  const personId = await makePerson(home, 'ada@example.com')
  await home.store.write(waitForEmail(home, personId, 'ada@new.example'))
  await home.store.close()
  const [waiting, ...others] = (await run('email pending')).emails as Record<string, unknown>[]
  const { newEmail, email, isTaken } = waiting!
  assert.deepEqual([newEmail, email, isTaken, others], ['ada@new.example', 'ada@example.com', false, []])
  const link = await run('email link', { person: personId })
  assert.equal(link.newEmail, 'ada@new.example')
  assert.match(`${link.url}`, /^http:\/\/127\.0\.0\.1:4000\/sandbox\/v1\/account\/email\/[\w-]{43}$/)
  assert.equal(refusalOf(await operate(call('email link', { person: 'per_x' }), options)), 404)
})

test('what is asked wrongly is a 400, what is not there a 404', async () => {
  const options = optionsFor('wrong')
  for (const [status, command, input] of [
    [400, 'team create', { name: ' ' }],
    [400, 'team create', {}],
    [400, 'token create', { team: 'team_x', expires: 'soon' }],
    [400, 'token create', { team: 'team_x', scopes: 'tag:raed' }],
    [404, 'token create', { team: 'team_x' }],
    [404, 'tag create', { team: 'team_x', name: 'a', domain: 'a.example' }],
    [404, 'token revoke', { id: 'tok_x' }],
    [404, 'team delete', {}],
  ] as const)
    assert.equal(refusalOf(await operate(call(command, input), options)), status, `${command} ${JSON.stringify(input)}`)
})

test('while a server has the data directory it is the one that does it', async (t) => {
  const options = optionsFor('up')
  makeDataDir(options.dir, environments)
  const lock = lockDataDir(options.dir)!
  const home = await openHome('sandbox', options)
  const socket = await listenOnSocket(options.dir.socket, { run: (asked) => runCommand(asked, home), log: silent })
  t.after(async () => {
    socket.close()
    await home.store.close()
    lock.release()
  })
  const { teamId } = resultOf(await operate(call('team create', { name: 'Shop' }), options))
  assert.ok(home.keys.team(`${teamId}`), 'the running process knows the new team at once')
})

test('a process that has the data directory and does not answer is told in one sentence', async () => {
  const options = optionsFor('mute')
  makeDataDir(options.dir, environments)
  const lock = lockDataDir(options.dir)!
  let now = 0
  const wait = async (ms: number) => {
    now += ms
  }
  const turned = { ...options, clock: { now: () => now, wait } }
  await assert.rejects(
    operate(call('team create', { name: 'A' }), turned),
    /does not answer: end it, or wait for it\.$/,
  )
  lock.release()
})

test('the doctor finds a fresh directory well, and says what is not', async () => {
  const options = optionsFor('doctor')
  const bad = async () => (await doctor(options)).filter(({ ok }) => !ok).map(({ name }) => name)
  assert.deepEqual(await bad(), ['data directory'])
  await operate(call('team create', { name: 'A' }), options)
  assert.deepEqual(await bad(), [])
  chmodSync(options.dir.rootKey, 0o644)
  assert.deepEqual(await bad(), ['root key'])
  chmodSync(options.dir.rootKey, 0o400)
  const otherKey = { ...options, settings: { ...options.settings, rootKey: 'ab'.repeat(32) } }
  const server = (await doctor(otherKey)).find(({ name }) => name === 'server')
  assert.match(server!.message, /root key does not fit/i)
})
