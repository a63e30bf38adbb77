import { createInterface } from 'node:readline/promises'
import type { ReadStream, WriteStream } from 'node:tty'

/** Asks a question on the terminal; undefined without one. The question goes to standard error. */
export async function askTerminal(
  question: string,
  input: ReadStream,
  output: WriteStream,
): Promise<string | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined
  const lines = createInterface({ input, output })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
