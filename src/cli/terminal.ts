import { createInterface } from 'node:readline/promises'
import type { ReadStream, WriteStream } from 'node:tty'

/** Asks whoever sits at the terminal; undefined where nobody does. The question goes to standard error. */
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
