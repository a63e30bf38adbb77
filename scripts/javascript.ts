import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'

/**
 * Writes the program of the published package: `node scripts/javascript.ts [folder]` translates src/ to JavaScript in lib/, because
 * Node strips no types under node_modules. Each file reachable from src/main.ts becomes one file of the same name, at the same
 * depth and with the same lines, so relative paths stay valid and stack traces name the lines of the sources.
 */
const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const lib = process.argv[2] ?? join(root, 'lib')

/** A string that names a source file: in an import, in the `new URL` of a thread, or in the path of a child process. */
const reference = /'([^'\s]+)\.ts'/g

/** The source file that a reference in `file` names, as a path below src/ without `.ts`. */
function target(file: string, reference: string): string {
  if (reference.startsWith('#')) return reference.slice(1)
  return normalize(join(dirname(file), reference))
}

/** The relative import path from one file to another. */
function pathTo(file: string, other: string): string {
  const path = relative(dirname(file), other)
  return path.startsWith('.') ? path : `./${path}`
}

/** The JavaScript of one source file, and the source files that it refers to, as paths below src/. */
function translate(file: string): { text: string; refers: string[] } {
  const refers: string[] = []
  const plain = stripTypeScriptTypes(readFileSync(join(src, file), 'utf8'), { mode: 'strip' })
  const text = plain.replace(reference, (_whole, path: string) => {
    const to = target(file, path)
    refers.push(`${to}.ts`)
    // A path that the program joins to a folder stays without './'.
    return path.startsWith('#') ? `'${pathTo(file, `${to}.js`)}'` : `'${path}.js'`
  })
  return { text, refers }
}

function put(file: string, text: string): void {
  const path = join(lib, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const isThere = new Set(globSync('**/*.ts', { cwd: src }))

rmSync(lib, { recursive: true, force: true })
const done = new Set<string>()
const waiting = ['main.ts']
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (done.has(file)) continue
  done.add(file)
  const { text, refers } = translate(file)
  put(file.replace(/\.ts$/, '.js'), text)
  for (const each of refers) {
    if (!isThere.has(each)) throw new Error(`src/${file} refers to src/${each}, which does not exist.`)
    waiting.push(each)
  }
}

// Other files that the program reads, such as migrations. Those of the dashboard are in dist/dashboard.
for (const file of globSync('**/*.*', { cwd: src })) {
  if (/\.ts$|^dashboard\/|(^|\/)tsconfig\.json$/.test(file)) continue
  mkdirSync(dirname(join(lib, file)), { recursive: true })
  copyFileSync(join(src, file), join(lib, file))
}
