import { type KeyObject, randomBytes } from 'node:crypto'
import { open as openFile, readFile, rename } from 'node:fs/promises'
import { deriveKey, open, seal } from './cipher.ts'
import { yieldToEventLoop } from './yieldToEventLoop.ts'

const saltLength = 16
const headLength = 4
/** A part is sealed or opened without yielding, in well below a millisecond. */
const partBytes = 64 * 1024

/** Binds each part to its position, and the last part to being the last. */
const aadOf = (part: number, isLast: boolean) => `part ${part} ${isLast ? 'last' : 'not last'}`
const keyOfFile = (key: KeyObject, salt: Uint8Array) => deriveKey(key, 'sealed file', salt)

function* partsOf(rows: Iterable<object>): Generator<{ text: string; isLast: boolean }> {
  let text = ''
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`
    if (text.length < partBytes) continue
    yield { text, isLast: false }
    text = ''
  }
  yield { text, isLast: true }
}

/** Replaces a file of sealed rows. After a crash, the file is either the old or the new one. One writer at a time. */
export async function writeSealedFile(path: string, key: KeyObject, rows: Iterable<object>): Promise<void> {
  const draft = `${path}.draft`
  const file = await openFile(draft, 'w', 0o600)
  try {
    const salt = randomBytes(saltLength)
    const fileKey = keyOfFile(key, salt)
    await file.appendFile(salt)
    let part = 0
    for (const { text, isLast } of partsOf(rows)) {
      const sealed = seal(fileKey, Buffer.from(text), aadOf(part++, isLast))
      const head = Buffer.alloc(headLength)
      head.writeUInt32BE(sealed.length)
      await file.appendFile(Buffer.concat([head, sealed]))
    }
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

/** The rows of a file; undefined if there is no file. Throws an Error if any byte has changed. */
export async function readSealedFile(path: string, key: KeyObject): Promise<unknown[] | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (!bytes) return undefined
  const fileKey = keyOfFile(key, bytes.subarray(0, saltLength))
  const rows: unknown[] = []
  let at = saltLength
  let part = 0
  do {
    if (at + headLength > bytes.length) throw new Error('The file ends too early.')
    const end = at + headLength + bytes.readUInt32BE(at)
    const text = open(fileKey, bytes.subarray(at + headLength, end), aadOf(part++, end === bytes.length)).toString()
    for (const line of text.split('\n')) if (line !== '') rows.push(JSON.parse(line))
    at = end
    await yieldToEventLoop()
  } while (at < bytes.length)
  return rows
}
