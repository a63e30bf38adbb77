import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'

/**
 * Writes the program of the published package: `node scripts/javascript.ts [folder]` turns src/ into JavaScript in lib/, because
 * Node strips no types under node_modules. Each file that src/main.ts leads to becomes one file of the same name, at the same
 * depth and with the same lines: what a file finds beside itself or above itself it finds there too, and a stack trace names
 * the line of the source.
 */
const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const lib = process.argv[2] ?? join(root, 'lib')

/** A string that names a source: in an import, a `new URL` of a thread, or the path of a child's program. */
const reference = /'([^'\s]+)\.ts'/g

/** The source that a reference in `file` names, as a path below src/. */
function target(file: string, reference: string): string {
  if (reference.startsWith('#')) return reference.slice(1)
  return normalize(join(dirname(file), reference))
}

/** The path from one file to another, as an import names it. */
function pathTo(file: string, other: string): string {
  const path = relative(dirname(file), other)
  return path.startsWith('.') ? path : `./${path}`
}

/** JavaScript of one source, and the sources that it refers to, as paths below src/. */
function translate(file: string): { text: string; refers: string[] } {
  const refers: string[] = []
  const plain = stripTypeScriptTypes(readFileSync(join(src, file), 'utf8'), { mode: 'strip' })
  const text = plain.replace(reference, (_whole, path: string) => {
    const to = target(file, path)
    refers.push(`${to}.ts`)
    // What is joined to a folder stays as it is: './child.js' and 'child.js' are the same there.
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
    if (!isThere.has(each)) throw new Error(`src/${file} refers to src/${each}, which is not there.`)
    waiting.push(each)
  }
}

// What the program reads besides: migrations, and whatever else is no source.
for (const file of globSync('**/*.*', { cwd: src })) {
  if (/\.ts$|(^|\/)tsconfig\.json$/.test(file)) continue
  mkdirSync(dirname(join(lib, file)), { recursive: true })
  copyFileSync(join(src, file), join(lib, file))
}
