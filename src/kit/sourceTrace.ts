import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A place of the built program in a stack trace. */
const builtPlace = /file:\/\/\/[^\s():]{1,1000}\.js:\d{1,7}:\d{1,7}/g

const maps = new Map<string, SourceMap | undefined>()

/** The source map beside a file of the program; undefined without one. Read once, at the first trace that names the file. */
function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')))
  } catch {
    return undefined
  }
}

/** Replaces places in the built program by the places in its sources. */
export function sourceTrace(stack: string): string {
  return stack.replace(builtPlace, (place) => {
    const [column, line, ...rest] = place.split(':').reverse()
    const file = rest.reverse().join(':')
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    if (!found || !('originalSource' in found)) return place
    return `${new URL(found.originalSource, file)}:${found.originalLine + 1}:${found.originalColumn + 1}`
  })
}
