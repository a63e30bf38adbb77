import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { create } from 'tar'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import { systemClock } from '#kit/clock.ts'
import { createDataDir, lockDataDir, resolveDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { rotateRootKeyEverywhere } from '#runtime/keyRotation.ts'
import { readSettings } from '#settings/settings.ts'
import { copySqliteStore } from '#store/sqlite/copySqliteStore.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { copyLogStream } from '#stream/log/copyLogStream.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { createBackup } from './backup.ts'
import { restoreBackup } from './restore.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const copies = { copyStore: copySqliteStore, copyStream: copyLogStream }
const optionsFor = (name: string, env: Record<string, string> = {}): EnvironmentStoreOptions => ({
  dir: resolveDataDir(join(folder, name)),
  settings: readSettings(env, {}),
  adapters: { openStore: openSqliteStore, openStream: openLogStream },
  clock: systemClock,
})
const backUp = (from: EnvironmentStoreOptions, name: string, withRootKey?: boolean, more = {}) =>
  createBackup(
    { ...from, copies, version: '1.2.3', ...more },
    { file: join(folder, name), ...(withRootKey && { withRootKey }) },
  )
const restore = (to: EnvironmentStoreOptions, name: string, force?: boolean) =>
  restoreBackup(to, { file: join(folder, name), ...(force && { force }) })

/** A data directory with a team and a token in each environment. */
async function createFilledDirectory(name: string, env: Record<string, string> = {}) {
  const options = optionsFor(name, env)
  createDataDir(options.dir, ['production', 'sandbox'])
  const made: Record<string, { teamId: string; token: string }> = {}
  for (const environment of ['production', 'sandbox'] as const) {
    const environmentStore = await openEnvironmentStore(environment, options)
    const { teamId } = await createTeam(environmentStore, 'a team', 'operator')
    made[environment] = { teamId, token: (await createToken(environmentStore, { teamId }, 'operator')).token }
    await (await openLogStream(options.dir.stream(environment), systemClock)).close()
    await environmentStore.store.close()
  }
  return { options, made }
}

/** Asserts that the data directory has the team and the token of each environment. */
async function assertRestored(
  options: EnvironmentStoreOptions,
  { made }: Awaited<ReturnType<typeof createFilledDirectory>>,
) {
  for (const environment of ['production', 'sandbox'] as const) {
    const environmentStore = await openEnvironmentStore(environment, options)
    const token = await environmentStore.store.token(environmentStore.keys.hashToken(made[environment]!.token))
    assert.equal(token?.teamId, made[environment]!.teamId)
    await environmentStore.store.close()
  }
}

const from = await createFilledDirectory('from')
const rootKey = readFileSync(from.options.dir.rootKey, 'utf8')

test('a backup with the root key is completely restored on a new machine', async () => {
  const made = await backUp(from.options, 'with.tar', true)
  assert.equal(made.rootKey, 'in the backup')
  assert.equal(statSync(join(folder, 'with.tar')).mode & 0o777, 0o600)
  const to = optionsFor('with')
  assert.equal((await restore(to, 'with.tar')).rootKey, 'fits')
  await assertRestored(to, from)
  assert.equal(statSync(to.dir.rootKey).mode & 0o777, 0o400)
  assert.deepEqual(readdirSync(to.dir.path).sort(), ['aglet.lock', 'production', 'root.key', 'sandbox'])
})

test('a backup holds no root key by default, and its output says to store the key separately', async () => {
  const made = await backUp(from.options, 'without.tar')
  assert.match(String(made.rootKey), /store root\.key .* separately/)
  const raw = readFileSync(join(folder, 'without.tar'))
  assert.ok(!raw.includes(rootKey.trim()) && !raw.includes(Buffer.from(rootKey, 'base64url')))
  const to = optionsFor('without')
  await assert.rejects(
    restore(to, 'without.tar'),
    /^Error: The backup was restored to .*root\.key is missing.* Restore the file/,
  )
  writeFileSync(to.dir.rootKey, rootKey, { mode: 0o400 })
  await assertRestored(to, from)
})

test('a restore accepts a root key that is already there, and fails with one that does not fit', async () => {
  const restoreWith = (name: string, key: string) => {
    const to = optionsFor(name)
    mkdirSync(to.dir.path)
    writeFileSync(to.dir.rootKey, key, { mode: 0o400 })
    return restore(to, 'without.tar')
  }
  assert.equal((await restoreWith('key first', rootKey)).rootKey, 'fits')
  await assert.rejects(restoreWith('wrong key', randomBytes(32).toString('hex')), /does not belong/)
})

test('the root key of AGLET_ROOT_KEY is written into the backup as a file', async () => {
  const env = { AGLET_ROOT_KEY: randomBytes(32).toString('hex') }
  const other = await createFilledDirectory('setting', env)
  await backUp(other.options, 'setting.tar', true)
  const to = optionsFor('from setting')
  assert.equal((await restore(to, 'setting.tar')).rootKey, 'fits')
  await assertRestored(to, other)
})

test('a restore refuses a directory in use or not empty, and leaves it unchanged', async () => {
  const other = await createFilledDirectory('other')
  const lock = lockDataDir(other.options.dir)!
  await assert.rejects(restore(other.options, 'with.tar', true), /Aglet is running on .*. Stop it, then restore\.$/)
  lock.release()
  await assert.rejects(
    restore(other.options, 'with.tar'),
    /is not empty. Choose another directory with --data, or .* --force\.$/,
  )
  await assertRestored(other.options, other)
})

test('a restore with --force moves the previous data aside', async () => {
  const other = await createFilledDirectory('forced')
  const key = readFileSync(other.options.dir.rootKey, 'utf8')
  const { before, rootKey } = await restore(other.options, 'with.tar', true)
  assert.equal(rootKey, 'fits')
  await assertRestored(other.options, from)
  assert.deepEqual(readdirSync(String(before)).sort(), ['production', 'root.key', 'sandbox'])
  assert.equal(readFileSync(join(String(before), 'root.key'), 'utf8'), key)
})

test('a file that is no complete backup is refused, and nothing changes', async () => {
  const at = (name: string) => join(folder, name)
  const good = readFileSync(at('with.tar'))
  writeFileSync(at('text'), 'a backup')
  writeFileSync(at('half.tar'), good.subarray(0, good.length / 2))
  const flipped = Buffer.from(good)
  flipped[flipped.indexOf('SQLite format 3') + 5_000]! ^= 1
  writeFileSync(at('flipped.tar'), flipped)
  writeFileSync(at('evil'), '{}')
  await create({ file: at('other.tar'), cwd: folder, preservePaths: true }, ['evil', '../../../etc/hostname'])
  const to = optionsFor('untouched')
  for (const name of ['none.tar', 'text', 'half.tar', 'flipped.tar', 'other.tar']) {
    await assert.rejects(restore(to, name), /is not a complete Aglet backup|cannot be read/, name)
    assert.deepEqual(readdirSync(to.dir.path), ['aglet.lock'], name)
  }
})

test('a backup overwrites no file, and a failed backup leaves no file', async () => {
  await assert.rejects(backUp(from.options, 'with.tar'), /already exists. Choose another name/)
  await assert.rejects(backUp(from.options, 'nowhere/b.tar'), /The folder .* does not exist/)
  await assert.rejects(backUp(optionsFor('empty'), 'empty.tar'), /nothing to back up/)
  const copyStore = async () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(
    backUp(from.options, 'failed.tar', true, { copies: { ...copies, copyStore } }),
    /the disk is full/,
  )
  assert.deepEqual(
    readdirSync(folder).filter((name) => /empty\.tar|failed/.test(name)),
    [],
  )
})

test('the environments are copied again when the root key is rotated during the copy', async () => {
  const other = await createFilledDirectory('rotated')
  const { dir } = other.options
  let copied = 0
  const copyStore: typeof copySqliteStore = async (...files) => {
    await copySqliteStore(...files)
    if (++copied > 1) return
    const stores = [
      await openEnvironmentStore('production', other.options),
      await openEnvironmentStore('sandbox', other.options),
    ]
    await rotateRootKeyEverywhere(stores, other.options)
    for (const { store } of stores) await store.close()
  }
  await backUp(other.options, 'rotated.tar', true, { copies: { ...copies, copyStore } })
  assert.equal(copied, 4)
  const to = optionsFor('after rotation')
  assert.equal((await restore(to, 'rotated.tar')).rootKey, 'fits')
  await assertRestored(to, other)
  assert.ok(existsSync(dir.rootKey) && !existsSync(`${dir.rootKey}.next`))
})
