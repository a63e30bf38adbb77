import { createInterface } from 'node:readline/promises'
import type { ReadStream, WriteStream } from 'node:tty'

/** Asks a question on the terminal. Resolves to the answer, or to undefined if there is no terminal. */
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
