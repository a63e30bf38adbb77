import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { PreviewLine } from '#contract/preview.ts'
import type { Rates } from '#plugin/plugin.ts'
import { previewWithPlugins } from '#plugin/preview.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import { openParser, refusedCode } from '#sandbox/parse.ts'

/** What is not JSON goes on as its text: the preview says what is wrong with a line, and never throws. */
function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

/** Reads JSON lines and writes one for each, in order, each as soon as it was read. Sends nothing. */
export async function previewLines(
  input: Readable,
  output: Writable,
  { now, rates }: { now(): number; rates(): Rates | undefined },
): Promise<void> {
  const parseCode = openParser()
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const read = readLine(line)
    const previewed = previewWithPlugins(read, { providers, plugins, rates: rates() }, now())
    const refused = previewed.error
      ? undefined
      : await refusedCode(read as PreviewLine, providers, parseCode, 'preview')
    const shown = refused && refused !== 'overloaded' ? refused : previewed
    if (!output.write(`${JSON.stringify(shown)}\n`)) await once(output, 'drain')
  }
}
