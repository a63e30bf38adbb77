import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openAccountMails } from '#account/accountMails.ts'
import { createApplication } from '#account/application.ts'
import { emailChangeRequest } from '#account/emailChange.ts'
import { operatorHolder } from '#account/privilege.ts'
import type { OperatorCall, OperatorOutcome } from '#cli/operatorCall.ts'
import { environments } from '#contract/me.ts'
import { scopes } from '#contract/scopes.ts'
import { systemClock } from '#kit/clock.ts'
import { silentLog } from '#kit/log.ts'
import type { Mail } from '#mail/mail.ts'
import { createDataDir, lockDataDir, resolveDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { runOperatorCommand } from '#runtime/operatorCommands.ts'
import { listenForOperator } from '#runtime/operatorSocket.ts'
import { readSettings } from '#settings/settings.ts'
import { copySqliteStore } from '#store/sqlite/copySqliteStore.ts'
import { inspectSqliteStore } from '#store/sqlite/inspectSqliteStore.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { copyLogStream } from '#stream/log/copyLogStream.ts'
import { inspectLogStream } from '#stream/log/inspectLogStream.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { makePerson } from '../../../test/fake/sessionCases.ts'
import { createBackup } from './backup.ts'
import { runDoctor } from './doctor.ts'
import { restoreBackup } from './restore.ts'
import { runOperatorCall } from './runOperatorCall.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-operate-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const adapters = { openStore: openSqliteStore, openStream: openLogStream }
const inspectors = {
  inspectStore: async (path: string) => inspectSqliteStore(path),
  inspectStream: async (path: string) => inspectLogStream(path),
}
const optionsFor = (name: string): EnvironmentStoreOptions => ({
  dir: resolveDataDir(join(folder, name)),
  settings: readSettings({}, {}),
  adapters,
  clock: systemClock,
})
const call = (command: string, input: Record<string, unknown>): OperatorCall => ({
  command,
  environment: 'sandbox',
  input,
})

function resultOf(outcome: OperatorOutcome): Record<string, unknown> {
  assert.ok('result' in outcome, JSON.stringify(outcome))
  return outcome.result
}
function refusalOf(outcome: OperatorOutcome): number {
  assert.ok('refused' in outcome)
  return outcome.refused.statusCode
}

test('commands work on the files of the data directory when no server runs', async () => {
  const options = optionsFor('down')
  const run = (command: string, input: Record<string, unknown>) => runOperatorCall(call(command, input), options)
  const { teamId } = resultOf(await run('team create', { name: 'Shop' }))
  const tag = { team: teamId, name: 'Site', domain: 'Shop.example' }
  const { tagId, tagUrl } = resultOf(await run('tag create', tag))
  assert.equal(tagUrl, `http://127.0.0.1:4000/sandbox/t/${tagId}`)
  const { token, tokenId } = resultOf(await run('token create', { team: teamId, expires: '12h' }))
  assert.match(`${token}`, /^aglet_test_/)

  const environmentStore = await openEnvironmentStore('sandbox', options)
  const stored = await environmentStore.store.tokenById(`${tokenId}`)
  assert.deepEqual([stored?.scopes, stored!.expiresAt - stored!.createdAt], [[...scopes], 12 * 3_600_000])
  assert.equal(environmentStore.snapshots.get(`${tagId}`)?.domain, 'shop.example')
  await environmentStore.store.close()

  resultOf(await run('token revoke', { id: tokenId }))
  assert.equal(refusalOf(await run('tag create', tag)), 409)
})

test('the operator lists every team and the pending applications, and approves an application', async () => {
  const options = optionsFor('approve')
  const run = async (command: string, input: Record<string, unknown> = {}) =>
    resultOf(await runOperatorCall(call(command, input), options))
  const { teamId } = await run('team create', { name: 'Shop' })
  const [team, ...others] = (await run('team list')).teams as Record<string, unknown>[]
  assert.deepEqual([team?.teamId, team?.name, others], [teamId, 'Shop', []])
  const environmentStore = await openEnvironmentStore('sandbox', options)
  const write = { name: 'Wizard', scopes: ['script:read'] as ['script:read'] }
  const { application } = await createApplication(environmentStore, `${teamId}`, write, operatorHolder)
  await environmentStore.store.close()
  const { applicationId } = application
  const [waiting] = (await run('application pending')).applications as Record<string, unknown>[]
  assert.deepEqual([waiting?.applicationId, waiting?.teamId, waiting?.status], [applicationId, teamId, 'pending'])
  assert.deepEqual(await run('application approve', { id: applicationId }), { applicationId, teamId, name: 'Wizard' })
  assert.deepEqual((await run('application pending')).applications, [])
  assert.equal(refusalOf(await runOperatorCall(call('application approve', { id: 'app_x' }), options)), 404)
})

test('the operator lists the unconfirmed e-mail addresses, and creates a confirmation link', async () => {
  const options = optionsFor('emails')
  const run = async (command: string, input: Record<string, unknown> = {}) =>
    resultOf(await runOperatorCall(call(command, input), options))
  await run('team create', { name: 'Shop' })
  const environmentStore = await openEnvironmentStore('sandbox', options)
  const personId = await makePerson(environmentStore, 'ada@example.com')
  await environmentStore.store.write(emailChangeRequest(environmentStore, personId, 'ada@new.example'))
  await environmentStore.store.close()
  const [waiting, ...others] = (await run('email pending')).emails as Record<string, unknown>[]
  const { newEmail, email, isTaken } = waiting!
  assert.deepEqual([newEmail, email, isTaken, others], ['ada@new.example', 'ada@example.com', false, []])
  const link = await run('email link', { person: personId })
  assert.equal(link.newEmail, 'ada@new.example')
  assert.match(`${link.url}`, /^http:\/\/127\.0\.0\.1:4000\/sandbox\/v1\/account\/email\/[\w-]{43}$/)
  assert.equal(refusalOf(await runOperatorCall(call('email link', { person: 'per_x' }), options)), 404)
})

test('a link of the operator is mailed in the language that is asked for, if the server has mail', async () => {
  const options = optionsFor('mailed')
  resultOf(await runOperatorCall(call('team create', { name: 'Shop' }), options))
  const stored = await openEnvironmentStore('sandbox', options)
  after(() => stored.store.close())
  const personId = await makePerson(stored, 'ada@example.com')
  await stored.store.write(emailChangeRequest(stored, personId, 'ada@new.example'))
  const mails: Mail[] = []
  const sendMail = async (mail: Mail) => {
    mails.push(mail)
    return { status: 'sent' } as const
  }
  const { environment, baseUrl } = stored
  const deps = { ...stored, mails: openAccountMails({ sendMail, environment, baseUrl }) }
  const reset = await runOperatorCommand(call('person reset', { email: 'ADA@example.com', language: 'de' }), deps)
  const link = await runOperatorCommand(call('email link', { person: personId }), deps)
  assert.deepEqual([reset.isMailed, link.isMailed], [true, true])
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['ada@example.com', 'ada@new.example'],
  )
  assert.match(mails[0]!.subject, /^Ein neues Passwort/)
  assert.ok(mails[0]!.text.includes(`${reset.url}`) && mails[1]!.text.includes(`${link.url}`))
  assert.ok(!mails.some(({ subject }) => /account\//.test(subject)), 'no secret stands in a subject')
  assert.equal((await runOperatorCommand(call('person reset', { email: 'ada@example.com' }), stored)).isMailed, false)
  const unknown = call('person reset', { email: 'nobody@example.com' })
  await assert.rejects(runOperatorCommand(unknown, deps))
  assert.equal(mails.length, 2)
})

test('bad input is a 400, and an unknown object is a 404', async () => {
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
    assert.equal(
      refusalOf(await runOperatorCall(call(command, input), options)),
      status,
      `${command} ${JSON.stringify(input)}`,
    )
})

test('a command runs in the server that holds the data directory', async (t) => {
  const options = optionsFor('up')
  createDataDir(options.dir, environments)
  const lock = lockDataDir(options.dir)!
  const environmentStore = await openEnvironmentStore('sandbox', options)
  const socket = await listenForOperator(options.dir.socket, {
    run: (received) => runOperatorCommand(received, environmentStore),
    log: silentLog,
  })
  t.after(async () => {
    socket.close()
    await environmentStore.store.close()
    lock.release()
  })
  const { teamId } = resultOf(await runOperatorCall(call('team create', { name: 'Shop' }), options))
  assert.ok(environmentStore.keys.team(`${teamId}`), 'the running process knows the new team at once')
})

test('a process that holds the data directory and does not answer is an error', async () => {
  const options = optionsFor('mute')
  createDataDir(options.dir, environments)
  const lock = lockDataDir(options.dir)!
  let now = 0
  const wait = async (ms: number) => {
    now += ms
  }
  const withFakeClock = { ...options, clock: { now: () => now, wait } }
  await assert.rejects(
    runOperatorCall(call('team create', { name: 'A' }), withFakeClock),
    /does not respond\. Stop it, or wait for it\.$/,
  )
  lock.release()
})

test('the doctor accepts a new directory, and names each failing check', async () => {
  const options = optionsFor('doctor')
  const bad = async () => (await runDoctor({ ...options, inspectors })).filter(({ ok }) => !ok).map(({ name }) => name)
  assert.deepEqual(await bad(), ['data directory'])
  await runOperatorCall(call('team create', { name: 'A' }), options)
  assert.deepEqual(await bad(), [])
  chmodSync(options.dir.rootKey, 0o644)
  assert.deepEqual(await bad(), ['root key'])
  chmodSync(options.dir.rootKey, 0o400)
  const otherKey = { ...options, settings: { ...options.settings, rootKey: 'ab'.repeat(32) } }
  const server = (await runDoctor({ ...otherKey, inspectors })).find(({ name }) => name === 'server')
  assert.match(server!.message, /root key does not belong/i)
})

test('after a restore without the root key the doctor says where to put it, and accepts it there', async () => {
  const from = optionsFor('backed up')
  await runOperatorCall(call('team create', { name: 'A' }), from)
  const file = join(folder, 'doctor.tar')
  const copies = { copyStore: copySqliteStore, copyStream: copyLogStream }
  await createBackup({ ...from, copies, version: '1.2.3' }, { file })
  const to = optionsFor('restored')
  await assert.rejects(restoreBackup(to, { file }), /root\.key is missing/)
  const findings = async () => (await runDoctor({ ...to, inspectors })).filter(({ ok }) => !ok)
  const missing = await findings()
  assert.deepEqual(
    missing.map(({ name }) => name),
    ['root key', 'server'],
  )
  for (const { message } of missing) assert.match(message, /root\.key is missing.*AGLET_ROOT_KEY/)
  assert.ok(!existsSync(to.dir.rootKey), 'the doctor creates no key')
  copyFileSync(from.dir.rootKey, to.dir.rootKey)
  assert.deepEqual(await findings(), [])
})
