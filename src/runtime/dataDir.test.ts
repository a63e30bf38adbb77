import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '#kit/clock.ts'
import { createDataDir, lockDataDir, lockForServing, resolveDataDir } from './dataDir.ts'

function temporary(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'aglet-dir-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a data directory has one folder for each environment, and only its user may read them', (t) => {
  const dir = resolveDataDir(join(temporary(t), 'a/b'))
  createDataDir(dir, ['production', 'sandbox'])
  createDataDir(dir, ['production', 'sandbox'])
  for (const path of [dir.path, dir.folder('production'), dir.folder('sandbox')])
    assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a directory that cannot be written is an error of one sentence that says what to do', (t) => {
  const file = join(temporary(t), 'file')
  writeFileSync(file, '')
  assert.throws(() => createDataDir(resolveDataDir(join(file, 'data')), ['production']), {
    message: `The data directory ${join(file, 'data')} cannot be written (ENOTDIR). Make this user its owner, or choose another directory with --data.`,
  })
})

test('a path that is too long for a socket is refused before a folder is created', (t) => {
  const dir = resolveDataDir(join(temporary(t), 'long'.repeat(40)))
  assert.throws(() => createDataDir(dir, ['production']), /too long for a socket/)
})

test('the error for a lock that cannot be opened names its file', (t) => {
  const dir = resolveDataDir(temporary(t))
  mkdirSync(dir.lock)
  assert.throws(
    () => lockDataDir(dir),
    /aglet\.lock cannot be used: unable to open database file\. Check that the disk/,
  )
})

test('only one process at a time holds the lock of a data directory', async (t) => {
  const dir = resolveDataDir(temporary(t))
  const lock = lockDataDir(dir)!
  assert.ok(lock)
  const holder = `import { resolveDataDir, lockDataDir } from ${JSON.stringify(import.meta.resolve('./dataDir.ts'))}
    const lock = lockDataDir(resolveDataDir(process.argv[2])); process.send(Boolean(lock)); process.on('message', () => {})`
  const script = join(dir.path, 'holder.ts')
  writeFileSync(script, holder)
  const locked = async () => {
    const child = fork(script, [dir.path])
    t.after(() => child.kill('SIGKILL'))
    return { child, got: (await once(child, 'message'))[0] as boolean }
  }
  assert.equal((await locked()).got, false)
  lock.release()
  const { child, got } = await locked()
  assert.equal(got, true)
  assert.equal(lockDataDir(dir), undefined)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const again = lockDataDir(dir)
  assert.ok(again, 'the lock of a killed process is released')
  again.release()
})

test('a server waits for a command to release the lock, and fails with an error when another server holds it', async (t) => {
  const dir = resolveDataDir(temporary(t))
  const lock = lockDataDir(dir)!
  const clock = { now: systemClock.now, wait: async () => lock.release() }
  const second = await lockForServing(dir, clock)
  let now = 0
  const wait = async (ms: number) => {
    now += ms
  }
  const fakeClock = { now: () => now, wait }
  await assert.rejects(
    lockForServing(dir, fakeClock),
    /^Error: Another Aglet process uses the data directory .*--data\.$/,
  )
  second.release()
})
