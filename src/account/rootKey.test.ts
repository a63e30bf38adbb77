import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeNextRootKey, RootKeyProblem, readNextRootKey, readRootKeys, settleRootKey } from './rootKey.ts'

const readRootKey = async (dir: string, fromSetting?: string) => (await readRootKeys(dir, fromSetting)).inUse

const base = await mkdtemp(join(tmpdir(), 'aglet-root-key-'))
after(() => rm(base, { recursive: true }))
let count = 0
const freshDir = () => join(base, `${count++}`, 'data')
const key = randomBytes(32)

test('the first start makes a key of 32 bytes in root.key, mode 0400, and the next reads the same', async () => {
  const dir = freshDir()
  const made = await readRootKey(dir)
  assert.equal(made.length, 32)
  assert.equal((await stat(join(dir, 'root.key'))).mode & 0o777, 0o400)
  assert.deepEqual(await readRootKey(dir), made)
  assert.deepEqual(await readdir(dir), ['root.key'])
})

test('two data directories have two keys', async () => {
  assert.notDeepEqual(await readRootKey(freshDir()), await readRootKey(freshDir()))
})

test('first starts at once agree on one key', async () => {
  const dir = freshDir()
  const made = await Promise.all(Array.from({ length: 5 }, () => readRootKey(dir)))
  for (const each of made) assert.deepEqual(each, made[0])
  assert.deepEqual(await readdir(dir), ['root.key'])
})

test('a draft that a crash left behind is not taken for the key', async () => {
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'root.key.0f0f0f0f0f0f'), 'half a k', { mode: 0o400 })
  const made = await readRootKey(dir)
  assert.equal(made.length, 32)
  assert.deepEqual(await readRootKey(dir), made)
})

test('AGLET_ROOT_KEY goes before the file and is hexadecimal or base64url; no file is made', async () => {
  const dir = freshDir()
  assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex'))), key)
  assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex').toUpperCase())), key)
  assert.deepEqual(Buffer.from(await readRootKey(dir, ` ${key.toString('base64url')}\n`)), key)
  await assert.rejects(stat(dir), { code: 'ENOENT' })
})

test('the text of root.key serves as AGLET_ROOT_KEY', async () => {
  const dir = freshDir()
  const made = await readRootKey(dir)
  assert.deepEqual(await readRootKey(freshDir(), await readFile(join(dir, 'root.key'), 'utf8')), made)
})

test('a bad key is told by a sentence that says what to write and does not repeat it', async () => {
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
    assert.ok(error instanceof RootKeyProblem)
    assert.match(error.message, /^AGLET_ROOT_KEY holds no root key: write 64 hexadecimal or 43 base64url characters/)
    assert.ok(text === '' || !error.message.includes(text))
  }
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'root.key'), '')
  await assert.rejects(readRootKey(dir), /root\.key holds no root key/)
})

test('where there are databases and no root key, none is made', async () => {
  for (const environment of ['production', 'sandbox']) {
    const dir = freshDir()
    await mkdir(join(dir, environment), { recursive: true })
    await writeFile(join(dir, environment, 'store.db'), '')
    await assert.rejects(readRootKey(dir), /root\.key is missing/)
    assert.deepEqual(await readdir(dir), [environment])
    assert.deepEqual(Buffer.from(await readRootKey(dir, key.toString('hex'))), key)
  }
})

test('a rotation begins with the next key on disk, mode 0400, which seals from then on; the one before still opens', async () => {
  const dir = freshDir()
  const before = await readRootKey(dir)
  const next = await makeNextRootKey(dir)
  assert.notDeepEqual(next, before)
  assert.equal((await stat(join(dir, 'root.key.next'))).mode & 0o777, 0o400)
  assert.deepEqual(await readRootKeys(dir), { inUse: next, before })
})

test('a rotation that was interrupted goes on with the key that it had begun with', async () => {
  const dir = freshDir()
  await readRootKey(dir)
  assert.deepEqual(await makeNextRootKey(dir), await makeNextRootKey(dir))
})

test('a rotation ends with the next key in the place of root.key', async () => {
  const dir = freshDir()
  await readRootKey(dir)
  const next = await makeNextRootKey(dir)
  assert.equal(await settleRootKey(dir), true)
  assert.deepEqual(await readRootKeys(dir), { inUse: next })
  assert.deepEqual(await readdir(dir), ['root.key'])
  assert.equal(await settleRootKey(dir), true)
})

test('where AGLET_ROOT_KEY is set the rotation ends once the operator has put the next key there', async () => {
  const dir = freshDir()
  await mkdir(dir, { recursive: true })
  const before = key.toString('hex')
  const next = await makeNextRootKey(dir)
  assert.equal(await settleRootKey(dir, before), false)
  assert.deepEqual(await readRootKeys(dir, before), { inUse: next, before: Buffer.from(key) })
  const after = (await readFile(join(dir, 'root.key.next'), 'utf8')).trim()
  assert.deepEqual(await readRootKeys(dir, after), { inUse: next })
  assert.equal(await settleRootKey(dir, after), true)
  assert.equal(await readNextRootKey(dir), undefined)
})
