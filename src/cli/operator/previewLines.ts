import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { PreviewLine } from '#contract/preview.ts'
import { eventLimits } from '#event/eventLimits.ts'
import type { Rates } from '#plugin/plugin.ts'
import { previewWithPlugins } from '#plugin/previewWithPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { providers } from '#providers/index.ts'
import { applyToLine } from '#rule/applyToLine.ts'
import { openParser, refuseBadPreviewCode } from '#sandbox/parseCode.ts'

const applyRules = applyToLine(eventLimits)

/** A line that is not JSON is passed on as text: the preview reports the error and never throws. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

/** Writes one JSON line for each input line, in order and before reading the next. Sends nothing. */
export async function previewLines(
  input: Readable,
  output: Writable,
  { now, rates }: { now(): number; rates(): Rates | undefined },
): Promise<void> {
  const parseCode = openParser()
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const parsed = parseLine(line)
    const previewed = previewWithPlugins(parsed, { providers, plugins, rates: rates(), applyRules }, now())
    const refused = previewed.error
      ? undefined
      : await refuseBadPreviewCode(parsed as PreviewLine, providers, parseCode, 'preview')
    const result = refused && refused !== 'overloaded' ? refused : previewed
    if (!output.write(`${JSON.stringify(result)}\n`)) await once(output, 'drain')
  }
}
