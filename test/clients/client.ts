import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

/** The folder of the npm packages. */
export const sdksFolder = join(import.meta.dirname, 'sdks')
const load = createRequire(new URL('sdks/', import.meta.url))
const python = join(import.meta.dirname, '../../node_modules/.cache/aglet/clients-python')
const run = promisify(execFile)

/** The exports of an npm package; undefined if it is not installed. */
export function exportsOf<Exports>(name: string): Exports | undefined {
  try {
    return load(name) as Exports
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw problem
  }
}

/** Whether the Python packages are installed. */
export const hasPython = () => existsSync(join(python, 'installed'))

/** The path of a program from a Python package. */
export const pythonProgram = (name: string) => join(python, 'bin', name)

/** Runs a Python program with the installed packages. Its arguments are JSON. */
export async function runPython(program: string, ...args: readonly unknown[]): Promise<string> {
  const { stdout } = await run(join(python, 'bin/python'), ['-c', program, ...args.map((each) => JSON.stringify(each))])
  return stdout
}

/** Skips the test of a client that is not installed; fails if all clients are required. */
export function skipMissing(t: TestContext, name: string): void {
  const message = `${name} is not installed: npm run test:clients installs it`
  if (process.env.NEEDS_CLIENTS) throw new Error(message)
  t.skip(message)
}
