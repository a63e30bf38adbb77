import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './load.ts'

const program = `
import { registerHooks } from 'node:module'
const [file, isCounted] = process.argv.slice(1)
let files = 0
if (isCounted) registerHooks({ load: (url, context, next) => { files += 1; return next(url, context) } })
const { user, system } = process.cpuUsage()
await import(file)
const spent = process.cpuUsage({ user, system })
console.log(JSON.stringify({ files, cpuMs: (spent.user + spent.system) / 1_000 }))
`

const root = join(import.meta.dirname, '..')

/** Loads a module in a separate process. Counting its files makes it slower. */
function load(file: string, cache: string, isCounted = false): { files: number; cpuMs: number } {
  const words = ['--input-type=module', '--eval', program, file, ...(isCounted ? ['counted'] : [])]
  const env = { ...process.env, NODE_COMPILE_CACHE: cache }
  return JSON.parse(execFileSync(process.execPath, words, { cwd: root, env, encoding: 'utf8' }))
}

/** A module that imports this many empty files. */
function writeEmptyGraph(folder: string, files: number): string {
  const numbers = Array.from({ length: files }, (_, n) => n)
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  for (const n of numbers) writeFileSync(join(folder, `file${n}.ts`), 'export {}\n')
  writeFileSync(join(folder, 'index.ts'), numbers.map((n) => `import './file${n}.ts'\n`).join(''))
  return join(folder, 'index.ts')
}

export type Loading = { files: number; cpuMs: number; emptyCpuMs: number }

/**
 * The CPU time of loading a module with all its imports, and of a module that imports as many empty files. Medians of `rounds`
 * processes, taken in turn, with cached compiled code.
 */
export function measureLoading(file: string, rounds: number): Loading {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-loading-'))
  try {
    const cache = join(folder, 'cache')
    const { files } = load(file, cache, true)
    const empty = writeEmptyGraph(folder, files)
    load(empty, cache)
    const taken = Array.from({ length: rounds }, () => [load(file, cache).cpuMs, load(empty, cache).cpuMs] as const)
    return { files, cpuMs: median(taken.map(([full]) => full)), emptyCpuMs: median(taken.map(([, bare]) => bare)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
