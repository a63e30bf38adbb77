import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import { systemClock } from '#kit/clock.ts'
import { createDataDir, resolveDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { readSettings } from '#settings/settings.ts'
import { copySqliteStore } from '#store/sqlite/copySqliteStore.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { copyLogStream } from '#stream/log/copyLogStream.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresAdapters } from '../../postgresAdapters.ts'
import { createBackup } from './backup.ts'
import { moveBackup } from './moveBackup.ts'

const skip = await skipWithoutPostgres()

describe('a backup of files and a database', { skip }, () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'aglet-moved-'))
  const file = join(folder, 'backup.tar')
  const rootKey = randomBytes(32).toString('hex')
  const made: Record<string, { teamId: string; token: string }> = {}

  function optionsFor(env: Record<string, string>, name = 'empty'): EnvironmentStoreOptions {
    const adapters = { openStore: openSqliteStore, openStream: openLogStream, openDatabase: openPostgresAdapters }
    return {
      dir: resolveDataDir(join(folder, name)),
      settings: readSettings({ AGLET_ROOT_KEY: rootKey, ...env }, {}),
      adapters,
      clock: systemClock,
    }
  }
  const onDatabase = (more: Record<string, string> = {}) =>
    optionsFor({ AGLET_DATABASE_URL: server.url, AGLET_SYNC_STANDBYS: '0', ...more })

  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on' })
    const options = optionsFor({}, 'files')
    createDataDir(options.dir, ['production', 'sandbox'])
    for (const environment of ['production', 'sandbox'] as const) {
      const environmentStore = await openEnvironmentStore(environment, options)
      const { teamId } = await createTeam(environmentStore, 'a team', 'operator')
      made[environment] = { teamId, token: (await createToken(environmentStore, { teamId }, 'operator')).token }
      const stream = await openLogStream(options.dir.stream(environment), systemClock)
      await stream.append({ tagId: 'tag_1', keys: [7n], payload: new Uint8Array([1]) })
      await stream.close()
      await environmentStore.store.close()
    }
    const copies = { copyStore: copySqliteStore, copyStream: copyLogStream }
    await createBackup({ ...options, copies, version: '1.2.3' }, { file })
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('another root key is refused before anything is moved', async () => {
    const options = onDatabase({ AGLET_ROOT_KEY: randomBytes(32).toString('hex') })
    await assert.rejects(moveBackup(options, { file }), /does not belong/)
  })

  test('--force is refused', async () => {
    await assert.rejects(moveBackup(onDatabase(), { file, force: true }), /Restore into an empty database/)
  })

  test('teams, tokens and events of both environments are moved, and a second restore changes nothing', async () => {
    const options = onDatabase()
    const result = await moveBackup(options, { file })
    assert.equal(result.rootKey, 'fits')
    assert.deepEqual(await moveBackup(options, { file }), result)
    for (const environment of ['production', 'sandbox'] as const) {
      const { store, keys, database } = await openEnvironmentStore(environment, options)
      try {
        const token = await store.token(keys.hashToken(made[environment]!.token))
        assert.equal(token?.teamId, made[environment]!.teamId)
        const stream = await database!.openStream()
        try {
          assert.equal(await stream.waiting(), 1)
          const append = { tagId: 'tag_1', keys: [7n], payload: new Uint8Array([1]) }
          assert.deepEqual(await stream.append(append), [false])
        } finally {
          await stream.close()
        }
      } finally {
        await store.close()
      }
    }
    assert.deepEqual(readdirSync(join(folder, 'empty')), [], 'no unpacked file is left')
  })
})
