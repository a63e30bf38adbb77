import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { UsageError } from '#cli/operatorCall.ts'

const headBytes = 4_096

function readHead(path: string): Uint8Array {
  try {
    const file = openSync(path, 'r')
    const head = new Uint8Array(headBytes)
    const length = readSync(file, head)
    closeSync(file)
    return head.subarray(0, length)
  } catch {
    throw new UsageError(`The file ${path} cannot be read.`)
  }
}

/** UTF-16 by its mark, or by the zero bytes of Latin letters. */
function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const zeros = (from: number) => head.filter((byte, at) => at % 2 === from && byte === 0).length
  if (zeros(1) > head.length / 4) return 'utf-16le'
  return zeros(0) > head.length / 4 ? 'utf-16be' : 'utf-8'
}

async function* decode(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const bytes of createReadStream(path)) yield decoder.decode(bytes as Uint8Array, { stream: true })
  yield decoder.decode()
}

/** The text of a file, in parts: UTF-8 or UTF-16, and for bytes that are neither Windows-1252. The mark is left out. */
export async function openText(path: string): Promise<{ encoding: string; read(): AsyncGenerator<string> }> {
  const encoding = encodingOf(readHead(path))
  try {
    for await (const _ of decode(path, encoding));
    return { encoding, read: () => decode(path, encoding) }
  } catch (problem) {
    if (!(problem instanceof TypeError)) throw problem
    if (encoding !== 'utf-8') throw new UsageError(`The file ${path} is no valid ${encoding}.`)
    return { encoding: 'windows-1252', read: () => decode(path, 'windows-1252') }
  }
}
