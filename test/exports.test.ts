import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { operationIds } from '#contract/operations.ts'

const root = join(import.meta.dirname, '..')
const exclude = ['**/node_modules/**']
const files = globSync(['{src,test,scripts,bench,build}/**/*.{ts,tsx,cjs,mjs}'], { cwd: root, exclude })
const textOf = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

/** Files found by name or chosen by the build: examples, words of another language, the module that a page imports. */
const isFoundByName = /^src\/(providers\/examples\/|dashboard\/words\/de\/|browser\/window\/module\.ts$)/
const isSource = (file: string) =>
  file.startsWith('src/') && !/\.(test|suite|fixture)\.tsx?$|\.d\.ts$/.test(file) && !isFoundByName.test(file)

/** The path of one of our files; undefined for a package. */
function pathOf(named: string, from: string): string | undefined {
  if (named.startsWith('#')) return `src/${named.slice(1)}`
  return named.startsWith('.') ? normalize(join(dirname(from), named)) : undefined
}

/** The names imported from each file; `*`: it is imported as a whole, or run as a program. */
function importedNames(): Map<string, Set<string>> {
  const imported = new Map<string, Set<string>>()
  const add = (path: string | undefined, names: readonly string[]) => {
    if (path !== undefined) imported.set(path, new Set([...(imported.get(path) ?? []), ...names]))
  }
  for (const [file, text] of textOf) {
    for (const [, clause, path] of text.matchAll(/^(?:import|export)\s([^'";]*?)\sfrom\s+'([^']+)'/gm)) {
      const listed = /\{([^}]*)\}/.exec(clause!)?.[1] ?? ''
      const names = listed.split(',').map(
        (each) =>
          each
            .trim()
            .replace(/^type\s+/, '')
            .split(' as ')[0]!,
      )
      const isWhole = clause!.includes('*')
      // The control API finds its answers by operation name.
      if (isWhole && file === 'src/control/controlRoutes.ts') add(pathOf(path!, file), operationIds)
      else add(pathOf(path!, file), isWhole ? ['*'] : names)
    }
    for (const [, path] of text.matchAll(/\bimport\(\s*'([^']+)'/g)) add(pathOf(path!, file), ['*'])
    for (const [, path] of text.matchAll(/(?<!from )['"`]([\w./#-]+\.tsx?)['"`]/g))
      for (const each of [pathOf(path!, file), `src/${path}`, path]) add(each, ['*'])
  }
  return imported
}

test('every name that a file of src/ exports is imported by another file', () => {
  const imported = importedNames()
  const declared = /^export (?:async )?(?:const|let|function\*?|class|type|interface)\s+([\w$]+)/gm
  const unused = [...textOf]
    .filter(([file]) => isSource(file) && !imported.get(file)?.has('*'))
    .flatMap(([file, text]) =>
      [...text.matchAll(declared)]
        .filter(([, name]) => !imported.get(file)?.has(name!))
        .map(([, name]) => `${file}: ${name}`),
    )
  assert.ok(imported.size > 1_000)
  assert.deepEqual(unused, [])
})
