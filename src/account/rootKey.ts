import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readBase64url } from '#kit/base64url.ts'
import { equalBytes } from '#kit/cipher.ts'

const keyFormat = '64 hexadecimal or 43 base64url characters (32 bytes)'

/** The root key is missing, malformed or wrong. The message is for the operator and contains no key. */
export class RootKeyError extends Error {
  override name = 'RootKeyError'
}

export const wrongRootKeyError = () =>
  new RootKeyError(
    'The root key does not belong to this data directory. Restore the root.key file (or AGLET_ROOT_KEY) that the directory was created with.',
  )

/** `before`: the previous key during a rotation. It opens but does not seal. */
export type RootKeys = { inUse: Uint8Array; before?: Uint8Array }

const rootKeyFile = (dataDir: string) => join(dataDir, 'root.key')
const nextRootKeyFile = (dataDir: string) => join(dataDir, 'root.key.next')

/**
 * The root key of 32 bytes: from the setting if it is given, else from `root.key` in the data directory, which the
 * first start creates. Must be called before the databases are created: if there are databases but no key, no key is
 * created, because a new one could not open them. `beforeSetting`: the previous key, in a setting. Throws RootKeyError.
 */
export async function readRootKeys(dataDir: string, fromSetting?: string, beforeSetting?: string): Promise<RootKeys> {
  const current = await readCurrentRootKey(dataDir, fromSetting)
  if (beforeSetting !== undefined)
    return { inUse: current, before: parseRootKey(beforeSetting, 'AGLET_ROOT_KEY_BEFORE') }
  const next = await readNextRootKey(dataDir)
  return next && !equalBytes(next, current) ? { inUse: next, before: current } : { inUse: current }
}

async function readCurrentRootKey(dataDir: string, fromSetting: string | undefined): Promise<Uint8Array> {
  if (fromSetting !== undefined) return parseRootKey(fromSetting, 'AGLET_ROOT_KEY')
  const file = rootKeyFile(dataDir)
  // Checked before the key is read: a concurrent first start creates the key before the databases.
  const databases = hasDatabases(dataDir)
  const key = await readIfExists(file)
  if (key !== undefined) return parseRootKey(key, file)
  if (databases)
    throw new RootKeyError(
      `${file} is missing, so the data in this directory cannot be decrypted. Restore the file, or set AGLET_ROOT_KEY.`,
    )
  await createRootKey(dataDir, file)
  return parseRootKey(await readFile(file, 'utf8'), file)
}

/** The new key of an unfinished rotation; undefined if there is none. */
export async function readNextRootKey(dataDir: string): Promise<Uint8Array | undefined> {
  const key = await readIfExists(nextRootKeyFile(dataDir))
  return key === undefined ? undefined : parseRootKey(key, nextRootKeyFile(dataDir))
}

/** Starts a rotation, or resumes an interrupted one. The returned key is on disk before it is used. */
export async function createNextRootKey(dataDir: string): Promise<Uint8Array> {
  const existing = await readNextRootKey(dataDir)
  if (existing) return existing
  await createRootKey(dataDir, nextRootKeyFile(dataDir))
  return parseRootKey(await readFile(nextRootKeyFile(dataDir), 'utf8'), nextRootKeyFile(dataDir))
}

/**
 * Finishes a rotation after everything is resealed: the next key replaces `root.key`. If the key comes from the
 * setting, the operator has to change the setting; until then the key is read from `root.key.next`. Returns whether it
 * is finished.
 */
export async function finishRootKeyRotation(dataDir: string, fromSetting?: string): Promise<boolean> {
  const next = await readNextRootKey(dataDir)
  if (!next) return true
  if (fromSetting === undefined) await rename(nextRootKeyFile(dataDir), rootKeyFile(dataDir))
  else if (equalBytes(next, parseRootKey(fromSetting, 'AGLET_ROOT_KEY'))) await rm(nextRootKeyFile(dataDir))
  else return false
  await syncDirectory(dataDir)
  return true
}

function parseRootKey(text: string, where: string): Uint8Array {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : readBase64url(trimmed)
  if (key?.length !== 32)
    throw new RootKeyError(
      `${where} does not contain a root key. Write ${keyFormat}; "openssl rand -hex 32" prints one.`,
    )
  return key
}

/**
 * Writes the key to a temporary file and links it into place: a crash leaves the whole key or none, and concurrent
 * first starts agree on one key. File and directory are synced before anything is sealed by the key.
 */
async function createRootKey(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o400)
  try {
    await handle.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await link(draft, file).catch((error) => ignoreError('EEXIST', error))
  await rm(draft)
  await syncDirectory(dataDir)
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY)
  await handle.sync().finally(() => handle.close())
}

const readIfExists = (file: string) => readFile(file, 'utf8').catch((error) => ignoreError('ENOENT', error))

const hasDatabases = (dataDir: string) =>
  ['production', 'sandbox'].some((environment) => existsSync(join(dataDir, environment, 'store.db')))

function ignoreError(code: string, error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== code) throw error
}
