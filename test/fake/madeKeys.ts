import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Shares RSA keys between all processes of a test run: each takes a fifth of a second of CPU time or more, and every process
 * needs at least four. Calls in one process get different keys, more than any test needs at once. Keys of different lengths
 * are separate. `scripts/test.ts` imports this first.
 */
const differentKeys = 8
const { TESTS_FOLDER: folder } = process.env

type Options = { modulusLength: number }
type Generate = (type: string, options: Options) => Promise<Record<'publicKey' | 'privateKey', KeyObject>>
const generate = promisify(generateKeyPair) as unknown as Generate
let made = 0

async function madePair(type: string, options: Options) {
  if (type !== 'rsa' || Object.keys(options).join() !== 'modulusLength') return generate(type, options)
  const path = join(folder!, `rsa-${options.modulusLength}-${made++ % differentKeys}.pem`)
  if (!existsSync(path)) {
    const { privateKey } = await generate(type, options)
    const half = `${path}.${process.pid}`
    writeFileSync(half, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    renameSync(half, path)
  }
  const pem = readFileSync(path)
  return { publicKey: createPublicKey(pem), privateKey: createPrivateKey(pem) }
}

if (folder) Object.defineProperty(generateKeyPair, promisify.custom, { value: madePair })
