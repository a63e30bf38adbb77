import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { settingFlags } from '#runtime/settings.ts'
import { parseConfig } from '../src/cli/config/configFile.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = [
  ...globSync('docs/**/*.md', { cwd: root }),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
]

test('every setting stands in the table of docs/operating.md, and nothing else does', () => {
  const named = [...read('docs/operating.md').matchAll(/^\| (`AGLET_[^|]+)\|/gm)]
    .flatMap(([, cell]) => cell!.match(/AGLET_\w+/g)!)
    .sort()
  const settings = settingFlags.map(({ help }) => /AGLET_\w+/.exec(help)![0]).sort()
  assert.deepEqual(named, settings)
})

test('the README asks for the Node that package.json does', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const [, oldest] = /Node (\d+) or newer with npm is enough/.exec(read('README.md'))!
  assert.equal(engines.node, `>=${oldest}`)
})

test('the example of docs/config-as-code.md is a configuration', () => {
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(read('docs/config-as-code.md'))!
  assert.equal(parseConfig(example!).tags[0]?.scripts?.length, 1)
})

test('each page begins with who reads it and what they can do after it', () => {
  for (const page of globSync('docs/*.md', { cwd: root }))
    assert.match(
      read(page),
      /^# .+\n\nFor [^.]+\. After (this page|it) you \w+/,
      `${page}: For whom is it? After it, you …`,
    )
})

test('every link from page to page leads somewhere', () => {
  for (const page of pages)
    for (const [, target] of read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g))
      assert.ok(existsSync(join(root, dirname(page), target!)), `${page} links to ${target}`)
})
