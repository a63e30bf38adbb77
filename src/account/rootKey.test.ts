import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createNextRootKey, finishRootKeyRotation, RootKeyError, readNextRootKey, readRootKeys } from './rootKey.ts'

const readRootKey = async (dir: string, fromSetting?: string) => (await readRootKeys(dir, fromSetting)).inUse

const base = await mkdtemp(join(tmpdir(), 'aglet-root-key-'))
after(() => rm(base, { recursive: true }))
let count = 0
const freshDir = () => join(base, `${count++}`, 'data')
const key = randomBytes(32)

test('the first start creates a key of 32 bytes in root.key, mode 0400, and the next start reads the same key', async () => {
  const dir = freshDir()
  const created = await readRootKey(dir)
  assert.equal(created.length, 32)
  assert.equal((await stat(join(dir, 'root.key'))).mode & 0o777, 0o400)
  assert.deepEqual(await readRootKey(dir), created)
  assert.deepEqual(await readdir(dir), ['root.key'])
})

test('two data directories have different keys', async () => {
  assert.notDeepEqual(await readRootKey(freshDir()), await readRootKey(freshDir()))
})

test('concurrent first starts agree on one key', async () => {
  const dir = freshDir()
  const created = await Promise.all(Array.from({ length: 5 }, () => readRootKey(dir)))
  for (const each of created) assert.deepEqual(each, created[0])
  assert.deepEqual(await readdir(dir), ['root.key'])
})

test('a temporary file that a crash left is not used as the key', async () => {
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'root.key.0f0f0f0f0f0f'), 'half a k', { mode: 0o400 })
  const created = await readRootKey(dir)
  assert.equal(created.length, 32)
  assert.deepEqual(await readRootKey(dir), created)
})

test('AGLET_ROOT_KEY, in hexadecimal or base64url, overrides the file, and no file is created', async () => {
  const dir = freshDir()
  assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex'))), key)
  assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex').toUpperCase())), key)
  assert.deepEqual(Buffer.from(await readRootKey(dir, ` ${key.toString('base64url')}\n`)), key)
  await assert.rejects(stat(dir), { code: 'ENOENT' })
})

test('the content of root.key is a valid AGLET_ROOT_KEY', async () => {
  const dir = freshDir()
  const created = await readRootKey(dir)
  assert.deepEqual(await readRootKey(freshDir(), await readFile(join(dir, 'root.key'), 'utf8')), created)
})

test('a malformed key throws an error that tells the format and does not contain the key', async () => {
  const bad = [
    '',
    'canary',
    randomBytes(31).toString('hex'),
    randomBytes(33).toString('base64url'),
    `${key.toString('hex')}0`,
  ]
  for (const text of [...bad, key.toString('base64')]) {
    const error = await readRootKey(freshDir(), text).then(
      () => assert.fail(),
      (raised: unknown) => raised as Error,
    )
    assert.ok(error instanceof RootKeyError)
    assert.match(
      error.message,
      /^AGLET_ROOT_KEY does not contain a root key. Write 64 hexadecimal or 43 base64url characters/,
    )
    assert.ok(text === '' || !error.message.includes(text))
  }
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'root.key'), '')
  await assert.rejects(readRootKey(dir), /root\.key does not contain a root key/)
})

test('no root key is created if there are databases', async () => {
  for (const environment of ['production', 'sandbox']) {
    const dir = freshDir()
    await mkdir(join(dir, environment), { recursive: true })
    await writeFile(join(dir, environment, 'store.db'), '')
    await assert.rejects(readRootKey(dir), /root\.key is missing/)
    assert.deepEqual(await readdir(dir), [environment])
    assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex'))), key)
  }
})

test('a rotation starts with the next key on disk, mode 0400, which seals from then on; the previous key still opens', async () => {
  const dir = freshDir()
  const before = await readRootKey(dir)
  const next = await createNextRootKey(dir)
  assert.notDeepEqual(next, before)
  assert.equal((await stat(join(dir, 'root.key.next'))).mode & 0o777, 0o400)
  assert.deepEqual(await readRootKeys(dir), { inUse: next, before })
})

test('an interrupted rotation resumes with the same next key', async () => {
  const dir = freshDir()
  await readRootKey(dir)
  assert.deepEqual(await createNextRootKey(dir), await createNextRootKey(dir))
})

test('a finished rotation has replaced root.key by the next key', async () => {
  const dir = freshDir()
  await readRootKey(dir)
  const next = await createNextRootKey(dir)
  assert.equal(await finishRootKeyRotation(dir), true)
  assert.deepEqual(await readRootKeys(dir), { inUse: next })
  assert.deepEqual(await readdir(dir), ['root.key'])
  assert.equal(await finishRootKeyRotation(dir), true)
})

test('if AGLET_ROOT_KEY is set, a rotation finishes once the operator has set it to the next key', async () => {
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  const before = key.toString('hex')
  const next = await createNextRootKey(dir)
  assert.equal(await finishRootKeyRotation(dir, before), false)
  assert.deepEqual(await readRootKeys(dir, before), { inUse: next, before: Buffer.from(key) })
  const after = (await readFile(join(dir, 'root.key.next'), 'utf8')).trim()
  assert.deepEqual(await readRootKeys(dir, after), { inUse: next })
  assert.equal(await finishRootKeyRotation(dir, after), true)
  assert.equal(await readNextRootKey(dir), undefined)
})
