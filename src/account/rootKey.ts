import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readBase64url } from '#kit/base64url.ts'
import { sameBytes } from '#kit/cipher.ts'

const spelling = '64 hexadecimal or 43 base64url characters (32 bytes)'

/** The root key is missing, misspelt or another one. Its message is a sentence for the operator and holds no key. */
export class RootKeyProblem extends Error {
  override name = 'RootKeyProblem'
}

export const rootKeyDoesNotFit = () =>
  new RootKeyProblem(
    'The root key does not fit this data directory: put back the root.key (or AGLET_ROOT_KEY) that it was made with.',
  )

/** `before` is there while a rotation is not finished: what it sealed still opens, and nothing new is sealed by it. */
export type RootKeys = { inUse: Uint8Array; before?: Uint8Array }

const fileOf = (dataDir: string) => join(dataDir, 'root.key')
const nextFileOf = (dataDir: string) => join(dataDir, 'root.key.next')

/**
 * The 32 bytes that everything at rest hangs on: those of the setting where it is given, else of `root.key` in the data
 * directory, which the first start makes. To be called before the databases are made: where there are databases but no
 * key, a new key could open nothing, so none is made. Throws RootKeyProblem.
 */
export async function readRootKeys(dataDir: string, fromSetting?: string): Promise<RootKeys> {
  const known = await readCurrent(dataDir, fromSetting)
  const next = await readNextRootKey(dataDir)
  return next && !sameBytes(next, known) ? { inUse: next, before: known } : { inUse: known }
}

async function readCurrent(dataDir: string, fromSetting: string | undefined): Promise<Uint8Array> {
  if (fromSetting !== undefined) return parseRootKey(fromSetting, 'AGLET_ROOT_KEY')
  const file = fileOf(dataDir)
  // Looked for before the key is: whoever makes both at this moment makes the key first.
  const databases = hasDatabases(dataDir)
  const key = await readIfThere(file)
  if (key !== undefined) return parseRootKey(key, file)
  if (databases)
    throw new RootKeyProblem(
      `${file} is missing, and what is in this data directory cannot be opened without it: put it back, or set AGLET_ROOT_KEY.`,
    )
  await makeRootKey(dataDir, file)
  return parseRootKey(await readFile(file, 'utf8'), file)
}

/** The key that a rotation has begun to seal with; undefined where none is under way. */
export async function readNextRootKey(dataDir: string): Promise<Uint8Array | undefined> {
  const key = await readIfThere(nextFileOf(dataDir))
  return key === undefined ? undefined : parseRootKey(key, nextFileOf(dataDir))
}

/** Begins a rotation, or goes on with one that a crash interrupted: the next root key, on disk before it is used. */
export async function makeNextRootKey(dataDir: string): Promise<Uint8Array> {
  const begun = await readNextRootKey(dataDir)
  if (begun) return begun
  await makeRootKey(dataDir, nextFileOf(dataDir))
  return parseRootKey(await readFile(nextFileOf(dataDir), 'utf8'), nextFileOf(dataDir))
}

/**
 * Ends a rotation, once nothing hangs on the key before: the next key takes the place of `root.key`. Where the key comes
 * from the setting only the operator can put it there: until then it is read from `root.key.next`. True when it is done.
 */
export async function settleRootKey(dataDir: string, fromSetting?: string): Promise<boolean> {
  const next = await readNextRootKey(dataDir)
  if (!next) return true
  if (fromSetting === undefined) await rename(nextFileOf(dataDir), fileOf(dataDir))
  else if (sameBytes(next, parseRootKey(fromSetting, 'AGLET_ROOT_KEY'))) await rm(nextFileOf(dataDir))
  else return false
  await syncDirectory(dataDir)
  return true
}

function parseRootKey(text: string, where: string): Uint8Array {
  const spelt = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(spelt) ? Buffer.from(spelt, 'hex') : readBase64url(spelt)
  if (key?.length !== 32)
    throw new RootKeyProblem(`${where} holds no root key: write ${spelling}, as "openssl rand -hex 32" prints them.`)
  return key
}

/**
 * Written aside and linked into place: a crash leaves the whole key or none, and of two first starts at once one key
 * stands. On disk, with its name, before anything is sealed under it.
 */
async function makeRootKey(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o400)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(draft, file).catch((error) => unless('EEXIST', error))
  await rm(draft)
  await syncDirectory(dataDir)
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY)
  await handle.sync().finally(() => handle.close())
}

const readIfThere = (file: string) => readFile(file, 'utf8').catch((error) => unless('ENOENT', error))

const hasDatabases = (dataDir: string) =>
  ['production', 'sandbox'].some((environment) => existsSync(join(dataDir, environment, 'store.db')))

function unless(code: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== code) throw error
}
