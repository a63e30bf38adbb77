import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { rotateRootKey } from '#account/keyRotation.ts'
import { createNextRootKey } from '#account/rootKey.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import { createTeam } from '#account/team.ts'
import { runOperatorCall } from '#cli/operator/runOperatorCall.ts'
import type { OperatorCall, OperatorOutcome } from '#cli/operatorCall.ts'
import { environments } from '#contract/me.ts'
import { systemClock } from '#kit/clock.ts'
import { readSettings } from '#settings/settings.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { createDataDir, resolveDataDir } from './dataDir.ts'
import { type EnvironmentStore, type EnvironmentStoreOptions, openEnvironmentStore } from './environmentStore.ts'
import { resumeRootKeyRotation } from './keyRotation.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-rotation-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const optionsFor = (name: string, rootKey?: string): EnvironmentStoreOptions => ({
  dir: resolveDataDir(join(folder, name)),
  settings: readSettings(rootKey === undefined ? {} : { AGLET_ROOT_KEY: rootKey }, {}),
  adapters: { openStore: openSqliteStore, openStream: openLogStream },
  clock: systemClock,
})
async function withStores<Result>(
  options: EnvironmentStoreOptions,
  use: (stores: EnvironmentStore[]) => Promise<Result>,
): Promise<Result> {
  createDataDir(options.dir, environments)
  const stores: EnvironmentStore[] = []
  try {
    for (const environment of environments) stores.push(await openEnvironmentStore(environment, options))
    return await use(stores)
  } finally {
    for (const { store } of stores) await store.close()
  }
}
async function run(
  options: EnvironmentStoreOptions,
  command: string,
  input: OperatorCall['input'],
): Promise<Record<string, unknown>> {
  const outcome: OperatorOutcome = await runOperatorCall({ command, environment: 'production', input }, options)
  assert.ok('result' in outcome, JSON.stringify(outcome))
  return outcome.result
}
const failOnLog = () => assert.fail('no log line is expected')

test('the sealing key and the keys of teams are rotated in the data directory when no server runs', async () => {
  const options = optionsFor('down')
  const { teamId } = await run(options, 'team create', { name: 'Shop' })
  const before = await withStores(options, async ([home]) => openSealingKeys(home!.store, home!.keys, home!.clock))
  const rotated = await run(options, 'key rotate', { what: 'sealing' })
  assert.deepEqual(
    [rotated.retiring, rotated.active],
    before.published().map(({ kid }) => kid),
  )
  assert.deepEqual(await run(options, 'key rotate', { what: 'team' }), { teams: 1 })
  assert.deepEqual(await run(options, 'key rotate', { what: 'team', team: teamId }), { teams: 1 })
})

test('a key rotation refuses a team with --what sealing, an unknown team and an unknown kind of key', async () => {
  const options = optionsFor('down')
  for (const [input, status] of [
    [{ what: 'sealing', team: 'team_1' }, 400],
    [{ what: 'team', team: 'team_none' }, 404],
    [{ what: 'pepper' }, 400],
  ] as const) {
    const outcome = await runOperatorCall({ command: 'key rotate', environment: 'production', input }, options)
    assert.ok('refused' in outcome && outcome.refused.statusCode === status)
  }
})

test('a new root key replaces root.key and opens both environments', async () => {
  const options = optionsFor('root')
  const teams = await withStores(options, (stores) =>
    Promise.all(stores.map((home) => createTeam(home, 'a', 'operator'))),
  )
  const before = readFileSync(options.dir.rootKey, 'utf8')
  assert.deepEqual(await run(options, 'key rotate', { what: 'root' }), { rootKey: options.dir.rootKey })
  assert.notEqual(readFileSync(options.dir.rootKey, 'utf8'), before)
  assert.ok(!existsSync(`${options.dir.rootKey}.next`))
  await withStores(options, async (stores) => {
    for (const [at, home] of stores.entries()) assert.ok(home.keys.team(teams[at]!.teamId))
  })
  await assert.rejects(
    withStores(optionsFor('root', before.trim()), async () => {}),
    { name: 'RootKeyError' },
  )
})

test('the next start completes a rotation that a crash interrupted between the environments', async () => {
  const options = optionsFor('crashed')
  const teams = await withStores(options, (stores) =>
    Promise.all(stores.map((home) => createTeam(home, 'a', 'operator'))),
  )
  const next = await createNextRootKey(options.dir.path)
  await withStores(options, ([production]) => rotateRootKey([production!], next, 'operator'))
  await withStores(options, (stores) => resumeRootKeyRotation(stores, options, failOnLog))
  assert.deepEqual(Buffer.from(readFileSync(options.dir.rootKey, 'utf8').trim(), 'base64url'), Buffer.from(next))
  await withStores(options, async (stores) => {
    for (const [at, home] of stores.entries()) assert.ok(home.keys.team(teams[at]!.teamId))
    await resumeRootKeyRotation(stores, options, failOnLog)
  })
})

test('with AGLET_ROOT_KEY set, the command and each start say how to complete the rotation until it is complete', async () => {
  const before = randomBytes(32).toString('hex')
  const options = optionsFor('setting', before)
  await withStores(options, ([home]) => createTeam(home!, 'a', 'operator'))
  const rotated = await run(options, 'key rotate', { what: 'root' })
  const file = `${options.dir.rootKey}.next`
  assert.match(String(rotated.next), /^Set AGLET_ROOT_KEY to the content of .*root\.key\.next and restart/)
  assert.deepEqual(await run(options, 'key rotate', { what: 'root' }), rotated)
  const messages: string[] = []
  await withStores(options, (stores) =>
    resumeRootKeyRotation(stores, options, ({ message }) => void messages.push(message)),
  )
  assert.deepEqual(messages, [rotated.next])

  const after = optionsFor('setting', readFileSync(file, 'utf8').trim())
  await withStores(after, (stores) => resumeRootKeyRotation(stores, after, failOnLog))
  assert.ok(!existsSync(file))
  await withStores(after, async () => {})
  await assert.rejects(
    withStores(options, async () => {}),
    { name: 'RootKeyError' },
  )
})

test('the operator publishes and lists the policies of one environment', async () => {
  const options = optionsFor('policies')
  const type = 'PRIVACY_POLICY'
  await run(options, 'policy publish', { type, version: '1' })
  const published = await run(options, 'policy publish', { type, version: '2', required: true })
  assert.deepEqual([published.policyType, published.version, published.required], [type, '2', true])
  const { policies } = (await run(options, 'policy list', {})) as { policies: Record<string, unknown>[] }
  assert.deepEqual(
    policies.map(({ version, required, latest }) => [version, required, latest]),
    [
      ['1', false, false],
      ['2', true, true],
    ],
  )
  const sandbox = await runOperatorCall({ command: 'policy list', environment: 'sandbox', input: {} }, options)
  assert.deepEqual(sandbox, { result: { policies: [] } })
})
