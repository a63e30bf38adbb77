import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '#kit/clock.ts'
import { dataDirAt, lockDataDir, lockForServing, makeDataDir } from './dataDir.ts'

function temporary(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'aglet-dir-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a data directory is made for this user alone, one folder per environment', (t) => {
  const dir = dataDirAt(join(temporary(t), 'a/b'))
  makeDataDir(dir, ['production', 'sandbox'])
  makeDataDir(dir, ['production', 'sandbox'])
  for (const path of [dir.path, dir.folder('production'), dir.folder('sandbox')])
    assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a directory that cannot be written is told in one sentence that says what to do', (t) => {
  const file = join(temporary(t), 'file')
  writeFileSync(file, '')
  assert.throws(() => makeDataDir(dataDirAt(join(file, 'data')), ['production']), {
    message: `The data directory ${join(file, 'data')} cannot be written (ENOTDIR): give it to this user, or choose another with --data.`,
  })
})

test('a path that is too long for a socket is told before anything is made', (t) => {
  const dir = dataDirAt(join(temporary(t), 'long'.repeat(40)))
  assert.throws(() => makeDataDir(dir, ['production']), /too long for the socket/)
})

test('one process has a data directory at a time', async (t) => {
  const dir = dataDirAt(temporary(t))
  const lock = lockDataDir(dir)!
  assert.ok(lock)
  const holder = `import { dataDirAt, lockDataDir } from ${JSON.stringify(import.meta.resolve('./dataDir.ts'))}
    const lock = lockDataDir(dataDirAt(process.argv[2])); process.send(Boolean(lock)); process.on('message', () => {})`
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
  assert.ok(again, 'the lock of a process that was killed is free')
  again.release()
})

test('a server waits a moment for a command to end, then says who is in the way', async (t) => {
  const dir = dataDirAt(temporary(t))
  const lock = lockDataDir(dir)!
  const clock = { now: systemClock.now, wait: async () => lock.release() }
  const second = await lockForServing(dir, clock)
  let now = 0
  const wait = async (ms: number) => {
    now += ms
  }
  const turned = { now: () => now, wait }
  await assert.rejects(lockForServing(dir, turned), /^Error: Another Aglet has the data directory .*--data\.$/)
  second.release()
})
