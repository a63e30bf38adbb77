import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { create } from 'tar'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import { readSettings } from '#contract/settings.ts'
import { systemClock } from '#kit/clock.ts'
import { copySqliteStore } from '#store/sqlite/backup.ts'
import { openSqliteStore } from '#store/sqlite/store.ts'
import { copySqliteStream } from '#stream/sqlite/backup.ts'
import { openSqliteStream } from '#stream/sqlite.ts'
import { makeBackup } from './backup.ts'
import { dataDirAt, lockDataDir, makeDataDir } from './dataDir.ts'
import { type HomeOptions, openHome } from './home.ts'
import { restoreBackup } from './restore.ts'
import { rotateRoot } from './rotation.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-backup-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const copies = { copyStore: copySqliteStore, copyStream: copySqliteStream }
const optionsFor = (name: string, env: Record<string, string> = {}): HomeOptions => ({
  dir: dataDirAt(join(folder, name)),
  settings: readSettings(env, {}),
  adapters: { openStore: openSqliteStore, openStream: openSqliteStream },
  clock: systemClock,
})
const backUp = (from: HomeOptions, name: string, withRootKey?: boolean, more = {}) =>
  makeBackup(
    { ...from, copies, version: '1.2.3', ...more },
    { file: join(folder, name), ...(withRootKey && { withRootKey }) },
  )
const restore = (to: HomeOptions, name: string, force?: boolean) =>
  restoreBackup(to, { file: join(folder, name), ...(force && { force }) })

/** A data directory with a team and a token in each environment. */
async function filled(name: string, env: Record<string, string> = {}) {
  const options = optionsFor(name, env)
  makeDataDir(options.dir, ['production', 'sandbox'])
  const made: Record<string, { teamId: string; token: string }> = {}
  for (const environment of ['production', 'sandbox'] as const) {
    const home = await openHome(environment, options)
    const { teamId } = await createTeam(home, 'a team', 'operator')
    made[environment] = { teamId, token: (await createToken(home, { teamId }, 'operator')).token }
    await (await openSqliteStream(options.dir.stream(environment), systemClock)).close()
    await home.store.close()
  }
  return { options, made }
}

/** That the tokens of an environment are known there. */
async function holds(options: HomeOptions, { made }: Awaited<ReturnType<typeof filled>>) {
  for (const environment of ['production', 'sandbox'] as const) {
    const home = await openHome(environment, options)
    const token = await home.store.token(home.keys.tokenHash(made[environment]!.token))
    assert.equal(token?.teamId, made[environment]!.teamId)
    await home.store.close()
  }
}

const from = await filled('from')
const rootKey = readFileSync(from.options.dir.rootKey, 'utf8')

test('a backup with the root key is restored on a new machine, whole', async () => {
  const made = await backUp(from.options, 'with.tar', true)
  assert.equal(made.rootKey, 'in the backup')
  assert.equal(statSync(join(folder, 'with.tar')).mode & 0o777, 0o600)
  const to = optionsFor('with')
  assert.equal((await restore(to, 'with.tar')).rootKey, 'fits')
  await holds(to, from)
  assert.equal(statSync(to.dir.rootKey).mode & 0o777, 0o400)
  assert.deepEqual(readdirSync(to.dir.path).sort(), ['aglet.lock', 'production', 'root.key', 'sandbox'])
})

test('a backup holds no root key unless it is asked for, and says that it must be kept apart', async () => {
  const made = await backUp(from.options, 'without.tar')
  assert.match(String(made.rootKey), /keep root\.key .* apart/)
  const raw = readFileSync(join(folder, 'without.tar'))
  assert.ok(!raw.includes(rootKey.trim()) && !raw.includes(Buffer.from(rootKey, 'base64url')))
  const to = optionsFor('without')
  assert.match(String((await restore(to, 'without.tar')).rootKey), /root\.key is missing.* put it back/)
  writeFileSync(to.dir.rootKey, rootKey, { mode: 0o400 })
  await holds(to, from)
})

test('the key may be there before the backup is; another key is told', async () => {
  for (const [name, key, says] of [
    ['key first', rootKey, /^fits$/],
    ['wrong key', randomBytes(32).toString('hex'), /does not fit/],
  ] as const) {
    const to = optionsFor(name)
    mkdirSync(to.dir.path)
    writeFileSync(to.dir.rootKey, key, { mode: 0o400 })
    assert.match(String((await restore(to, 'without.tar')).rootKey), says)
  }
})

test('a root key of the setting goes into the backup as a file', async () => {
  const env = { AGLET_ROOT_KEY: randomBytes(32).toString('hex') }
  const other = await filled('setting', env)
  await backUp(other.options, 'setting.tar', true)
  const to = optionsFor('from setting')
  assert.equal((await restore(to, 'setting.tar')).rootKey, 'fits')
  await holds(to, other)
})

test('a directory in use, or one that is not empty, is refused by a sentence and left as it is', async () => {
  const other = await filled('other')
  const lock = lockDataDir(other.options.dir)!
  await assert.rejects(restore(other.options, 'with.tar', true), /Aglet is running on .*: stop it, then restore\.$/)
  lock.release()
  await assert.rejects(restore(other.options, 'with.tar'), /is not empty: choose another with --data, or .* --force\.$/)
  await holds(other.options, other)
})

test('with --force what was there is moved aside, not deleted', async () => {
  const other = await filled('forced')
  const key = readFileSync(other.options.dir.rootKey, 'utf8')
  const { before, rootKey } = await restore(other.options, 'with.tar', true)
  assert.equal(rootKey, 'fits')
  await holds(other.options, from)
  assert.deepEqual(readdirSync(String(before)).sort(), ['production', 'root.key', 'sandbox'])
  assert.equal(readFileSync(join(String(before), 'root.key'), 'utf8'), key)
})

test('what is no backup, or not a whole one, is refused and changes nothing', async () => {
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
    await assert.rejects(restore(to, name), /is no whole backup of Aglet|cannot be read/, name)
    assert.deepEqual(readdirSync(to.dir.path), ['aglet.lock'], name)
  }
})

test('a backup overwrites nothing, and one that failed leaves nothing behind', async () => {
  await assert.rejects(backUp(from.options, 'with.tar'), /is there already/)
  await assert.rejects(backUp(from.options, 'nowhere/b.tar'), /There is no folder/)
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

test('a root key that is rotated while the environments are copied: they are copied again, under one key', async () => {
  const other = await filled('rotated')
  const { dir } = other.options
  let copied = 0
  const copyStore: typeof copySqliteStore = async (...files) => {
    await copySqliteStore(...files)
    if (++copied > 1) return
    const homes = [await openHome('production', other.options), await openHome('sandbox', other.options)]
    await rotateRoot(homes, other.options)
    for (const { store } of homes) await store.close()
  }
  await backUp(other.options, 'rotated.tar', true, { copies: { ...copies, copyStore } })
  assert.equal(copied, 4)
  const to = optionsFor('after rotation')
  assert.equal((await restore(to, 'rotated.tar')).rootKey, 'fits')
  await holds(to, other)
  assert.ok(existsSync(dir.rootKey) && !existsSync(`${dir.rootKey}.next`))
})
