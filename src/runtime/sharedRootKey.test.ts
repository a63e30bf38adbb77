import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createTeam } from '#account/team.ts'
import { environments } from '#contract/me.ts'
import { systemClock } from '#kit/clock.ts'
import { silentLog } from '#kit/log.ts'
import { readSettings, SettingsError } from '#settings/settings.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../test/fake/postgresServer.ts'
import { openPostgresAdapters } from '../postgresAdapters.ts'
import { createDataDir, resolveDataDir } from './dataDir.ts'
import { type EnvironmentStore, openEnvironmentStore } from './environmentStore.ts'
import { resealSharedKeys, rotateKey, rotateRootKeyEverywhere } from './keyRotation.ts'

const skip = await skipWithoutPostgres()
const folder = mkdtempSync(join(tmpdir(), 'aglet-root-key-'))
const [first, second] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
let server: PostgresServer
let processes = 0

type Process = { store: EnvironmentStore; options: Parameters<typeof resealSharedKeys>[1] }

/** Opens the production environment as a separate process with its own data directory. */
async function openProcess(rootKey: string, rootKeyBefore?: string): Promise<Process> {
  const dir = resolveDataDir(join(folder, `${processes++}`))
  createDataDir(dir, environments)
  const settings = readSettings(
    {
      AGLET_DATABASE_URL: server.url,
      AGLET_SYNC_STANDBYS: '0',
      AGLET_ROOT_KEY: rootKey,
      ...(rootKeyBefore && { AGLET_ROOT_KEY_BEFORE: rootKeyBefore }),
    },
    {},
  )
  const adapters = { openStore: openSqliteStore, openStream: openLogStream, openDatabase: openPostgresAdapters }
  const member = { version: '1', log: silentLog }
  const store = await openEnvironmentStore('production', { dir, settings, adapters, clock: systemClock, member })
  return { store, options: { dir, settings } }
}

const text = Buffer.from('an event')
const reseal = ({ store, options }: Process) => resealSharedKeys([store], options, silentLog)
const close = (...all: Process[]) => Promise.all(all.map(({ store }) => store.store.close()))

describe('the root key of a shared database', { skip }, () => {
  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('is changed by restarts: what the one before sealed opens with the new one alone', async () => {
    const old = await openProcess(first)
    const { teamId } = await createTeam(old.store, 'a', 'operator')
    const sealed = old.store.keys.team(teamId).sealEvent(text, 'tag_1')

    const restarted = [await openProcess(second, first), await openProcess(second, first)] as const
    await Promise.all(restarted.map(reseal))
    // A process that has not been restarted yet continues, and creates a team.
    const late = await createTeam(old.store, 'b', 'operator')
    await close(old)
    const last = await openProcess(second, first)
    await reseal(last)
    assert.deepEqual(last.store.keys.team(teamId).openEvent(sealed, 'tag_1'), text)
    await close(last, ...restarted)

    const after = await openProcess(second)
    assert.deepEqual(after.store.keys.team(teamId).openEvent(sealed, 'tag_1'), text)
    assert.ok(after.store.keys.hasTeamKey(late.teamId))
    await close(after)
    await assert.rejects(openProcess(first), { name: 'RootKeyError' })
  })

  test('is not changed by the command, which says how it is done', async () => {
    const one = await openProcess(second)
    const { dir, settings } = one.options
    const refused = await rotateRootKeyEverywhere([one.store], { dir, settings }).catch((error) => error)
    await close(one)
    assert.match(JSON.stringify(refused.attributes), /AGLET_ROOT_KEY_BEFORE/)
  })

  test('two processes that rotate the key of a team keep the keys of both', async () => {
    const [one, other] = [await openProcess(second), await openProcess(second)]
    const { teamId } = await createTeam(one.store, 'c', 'operator')
    await Promise.all([one, other].map(({ store }) => rotateKey({ what: 'team', team: teamId }, store)))
    const sealed = [one, other].map(({ store }) => store.keys.team(teamId).sealEvent(text, 'tag_1'))
    await close(one, other)
    const after = await openProcess(second)
    for (const each of sealed) assert.deepEqual(after.store.keys.team(teamId).openEvent(each, 'tag_1'), text)
    await close(after)
  })
})

test('the previous root key is refused without a shared database', () => {
  assert.throws(() => readSettings({ AGLET_ROOT_KEY: first, AGLET_ROOT_KEY_BEFORE: second }, {}), SettingsError)
})
