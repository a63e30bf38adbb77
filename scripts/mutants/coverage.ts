import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A part of a file, and how often it ran. Parts contain each other. */
type Range = { startOffset: number; endOffset: number; count: number }
type Script = { url: string; functions: { ranges: Range[] }[] }

/** The ranges of each file by its URL, a list for each thread and process: each splits a file at other places. */
export type Coverage = ReadonlyMap<string, readonly (readonly Range[])[]>

/** Calls a function that writes V8's coverage into a folder. Returns the coverage of `src/`, or nothing if it fails. */
export async function measure(root: string, run: (folder: string) => Promise<boolean>): Promise<Coverage | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-coverage-'))
  try {
    if (!(await run(folder))) return undefined
    const scripts = readdirSync(folder)
      .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] }).result)
      .filter(({ url }) => url.startsWith(`${pathToFileURL(root).href}/src/`))
    const rangesOf = ({ functions }: Script) => functions.flatMap(({ ranges }) => ranges)
    return new Map([...Map.groupBy(scripts, ({ url }) => url)].map(([url, same]) => [url, same.map(rangesOf)]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Whether the code at this offset of a file ran. */
export const ran = (coverage: Coverage, path: string, offset: number): boolean =>
  coverage.get(pathToFileURL(path).href)?.some((ranges) => ranIn(ranges, offset)) ?? false

/** The smallest range around an offset decides. */
function ranIn(ranges: readonly Range[], offset: number): boolean {
  const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset)
  const smallest = Math.min(...around.map(size))
  return around.some((range) => size(range) === smallest && range.count > 0)
}
