import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import build from '../build/package.json' with { type: 'json' }
import aglet from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
/** The files that `npm start` runs or bundles before the server starts. */
const buildFiles = [
  'scripts/bundle.ts',
  'scripts/dashboard.ts',
  'scripts/manual.ts',
  'src/browser/**/*.ts',
  'src/dashboard/**/*.{ts,tsx,css}',
]
// The package's own name occurs in the code that the dashboard shows.
const installed = new Set([aglet.name, ...Object.keys(aglet.dependencies), ...Object.keys(build.dependencies)])

/** The package of an import such as `@scope/name/file.js`; undefined for files and Node modules. */
function packageOf(path: string): string | undefined {
  if (/^[.#/]|^\w+:/.test(path) || isBuiltin(path)) return undefined
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/')
}

test('npm start installs every package that builds the parts of the browser', () => {
  const files = globSync(buildFiles, { cwd: root }).filter((file) => !/\.(test|suite|fixture)\.tsx?$/.test(file))
  assert.ok(files.includes('scripts/bundle.ts'))
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, path] of text.matchAll(/(?:\bfrom |^import |^@import |\burl\()['"]([^'"\n]+)['"]/gm)) {
      const name = packageOf(path!)
      if (name) assert.ok(installed.has(name), `${file} imports ${name}, which build/package.json does not list`)
    }
  }
})
