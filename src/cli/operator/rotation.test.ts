import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeNextRootKey } from '#account/rootKey.ts'
import { rotateRootKey } from '#account/rotate.ts'
import { openSealingKeys } from '#account/sealingKeys.ts'
import { createTeam } from '#account/team.ts'
import { environments } from '#contract/me.ts'
import { readSettings } from '#contract/settings.ts'
import { systemClock } from '#kit/clock.ts'
import { openSqliteStore } from '#store/sqlite/store.ts'
import { openSqliteStream } from '#stream/sqlite.ts'
import type { Call, Outcome } from '../call.ts'
import { dataDirAt, makeDataDir } from './dataDir.ts'
import { type Home, type HomeOptions, openHome } from './home.ts'
import { operate } from './operate.ts'
import { finishRotation } from './rotation.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-rotation-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const optionsFor = (name: string, rootKey?: string): HomeOptions => ({
  dir: dataDirAt(join(folder, name)),
  settings: readSettings(rootKey === undefined ? {} : { AGLET_ROOT_KEY: rootKey }, {}),
  adapters: { openStore: openSqliteStore, openStream: openSqliteStream },
  clock: systemClock,
})
async function withHomes<Result>(options: HomeOptions, use: (homes: Home[]) => Promise<Result>): Promise<Result> {
  makeDataDir(options.dir, environments)
  const homes: Home[] = []
  try {
    for (const environment of environments) homes.push(await openHome(environment, options))
    return await use(homes)
  } finally {
    for (const { store } of homes) await store.close()
  }
}
async function run(options: HomeOptions, command: string, input: Call['input']): Promise<Record<string, unknown>> {
  const outcome: Outcome = await operate({ command, environment: 'production', input }, options)
  assert.ok('result' in outcome, JSON.stringify(outcome))
  return outcome.result
}
const nothing = () => assert.fail('nothing is to be said')

test('with no server running the sealing key and the keys of teams are rotated on the files', async () => {
  const options = optionsFor('down')
  const { teamId } = await run(options, 'team create', { name: 'Shop' })
  const before = await withHomes(options, async ([home]) => openSealingKeys(home!.store, home!.keys, home!.clock))
  const told = await run(options, 'key rotate', { what: 'sealing' })
  assert.deepEqual(
    [told.retiring, told.active],
    before.published().map(({ kid }) => kid),
  )
  assert.deepEqual(await run(options, 'key rotate', { what: 'team' }), { teams: 1 })
  assert.deepEqual(await run(options, 'key rotate', { what: 'team', team: teamId }), { teams: 1 })
})

test('a team with --what sealing, a team that is not there, or another word is refused', async () => {
  const options = optionsFor('down')
  for (const [input, status] of [
    [{ what: 'sealing', team: 'team_1' }, 400],
    [{ what: 'team', team: 'team_none' }, 404],
    [{ what: 'pepper' }, 400],
  ] as const) {
    const outcome = await operate({ command: 'key rotate', environment: 'production', input }, options)
    assert.ok('refused' in outcome && outcome.refused.statusCode === status)
  }
})

test('a new root key is of both environments, takes the place of root.key, and everything opens by it', async () => {
  const options = optionsFor('root')
  const teams = await withHomes(options, (homes) => Promise.all(homes.map((home) => createTeam(home, 'a', 'operator'))))
  const before = readFileSync(options.dir.rootKey, 'utf8')
  assert.deepEqual(await run(options, 'key rotate', { what: 'root' }), { rootKey: options.dir.rootKey })
  assert.notEqual(readFileSync(options.dir.rootKey, 'utf8'), before)
  assert.ok(!existsSync(`${options.dir.rootKey}.next`))
  await withHomes(options, async (homes) => {
    for (const [at, home] of homes.entries()) assert.ok(home.keys.team(teams[at]!.teamId))
  })
  await assert.rejects(
    withHomes(optionsFor('root', before.trim()), async () => {}),
    { name: 'RootKeyProblem' },
  )
})

test('a rotation that a crash stopped between the environments is finished by the next start', async () => {
  const options = optionsFor('crashed')
  const teams = await withHomes(options, (homes) => Promise.all(homes.map((home) => createTeam(home, 'a', 'operator'))))
  const next = await makeNextRootKey(options.dir.path)
  await withHomes(options, ([production]) => rotateRootKey([production!], next, 'operator'))
  await withHomes(options, (homes) => finishRotation(homes, options, nothing))
  assert.deepEqual(Buffer.from(readFileSync(options.dir.rootKey, 'utf8').trim(), 'base64url'), Buffer.from(next))
  await withHomes(options, async (homes) => {
    for (const [at, home] of homes.entries()) assert.ok(home.keys.team(teams[at]!.teamId))
    await finishRotation(homes, options, nothing)
  })
})

test('where AGLET_ROOT_KEY is set the command says what to do, each start says it again, until it is done', async () => {
  const before = randomBytes(32).toString('hex')
  const options = optionsFor('setting', before)
  await withHomes(options, ([home]) => createTeam(home!, 'a', 'operator'))
  const told = await run(options, 'key rotate', { what: 'root' })
  const file = `${options.dir.rootKey}.next`
  assert.match(String(told.next), /^Set AGLET_ROOT_KEY to what is in .*root\.key\.next and start again/)
  assert.deepEqual(await run(options, 'key rotate', { what: 'root' }), told)
  const said: string[] = []
  await withHomes(options, (homes) => finishRotation(homes, options, ({ message }) => void said.push(message)))
  assert.deepEqual(said, [told.next])

  const after = optionsFor('setting', readFileSync(file, 'utf8').trim())
  await withHomes(after, (homes) => finishRotation(homes, after, nothing))
  assert.ok(!existsSync(file))
  await withHomes(after, async () => {})
  await assert.rejects(
    withHomes(options, async () => {}),
    { name: 'RootKeyProblem' },
  )
})

test('policies are published and listed by the operator, in one environment', async () => {
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
  const sandbox = await operate({ command: 'policy list', environment: 'sandbox', input: {} }, options)
  assert.deepEqual(sandbox, { result: { policies: [] } })
})
