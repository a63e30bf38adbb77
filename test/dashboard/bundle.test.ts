import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseSync } from 'oxc-parser'
import { bundleDashboard, type DashboardBundle } from '../../scripts/dashboard.ts'

const root = join(import.meta.dirname, '../..')
let bundle: DashboardBundle
let german: DashboardBundle
before(async () => {
  ;[bundle, german] = await Promise.all([bundleDashboard('en'), bundleDashboard('de')])
})

const kilobytes = (name: string, of = bundle) => {
  const file = of.files.find(({ path }) => path === `assets/${name}`)!
  return gzipSync(file.contents, { level: 9 }).length / 1_000
}
const sum = (names: readonly string[], of = bundle) => names.reduce((all, name) => all + kilobytes(name, of), 0)

/** The scripts that a page loads in addition to the first ones. */
function scriptsOfPage(entry: string): string[] {
  const { outputs } = bundle.metafile
  const [main] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)!
  const found = new Set([main])
  for (const path of found)
    for (const { path: to, kind } of outputs[path]!.imports) if (kind === 'import-statement') found.add(to)
  return [...found].map((path) => basename(path)).filter((name) => !bundle.first.scripts.includes(name))
}

test('the first load is at most 90 kB of scripts and 12 kB of styles, gzipped', (t) => {
  for (const each of [bundle, german]) {
    const [scripts, styles] = [sum(each.first.scripts, each), sum(each.first.styles, each)]
    t.diagnostic(`scripts ${scripts.toFixed(1)} kB, styles ${styles.toFixed(1)} kB`)
    assert.ok(scripts <= 90 && styles <= 12)
  }
})

test('a language is loaded only where it is used: no script of one has a text of the other', () => {
  const textOf = ({ files }: DashboardBundle) =>
    files
      .filter(({ path }) => path.endsWith('.js'))
      .map(({ contents }) => Buffer.from(contents).toString())
      .join()
  const [english, own] = ['Where events went', 'Wohin Ereignisse gingen']
  const has = (text: string) => [english, own].map((each) => text.includes(each))
  assert.deepEqual(
    [has(textOf(bundle)), has(textOf(german))],
    [
      [true, false],
      [false, true],
    ],
  )
})

test('each page adds at most 30 kB, and so do the charts', (t) => {
  const entries = Object.values(bundle.metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  const pages = entries.filter((entry) => /\/pages\/(?!.*(?:codeEditor|importWorker))|timeChart/.test(entry))
  assert.ok(pages.length > 10)
  const sizes = pages.map((entry) => [basename(entry, '.tsx'), sum(scriptsOfPage(entry))] as const)
  t.diagnostic(sizes.map(([name, size]) => `${name} ${size.toFixed(1)}`).join(', '))
  for (const [name, size] of sizes) assert.ok(size <= 30, `${name}: ${size} kB`)
})

test('the code editor is loaded with its page alone, and is at most 160 kB', (t) => {
  const { outputs } = bundle.metafile
  const [editor] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('/codeEditor.ts'))!
  const size = kilobytes(basename(editor))
  t.diagnostic(`editor ${size.toFixed(1)} kB`)
  assert.ok(size > 50 && size <= 160)
})

test('what reads an export is loaded with the first export alone, and is at most 90 kB', (t) => {
  const { outputs } = bundle.metafile
  const [worker] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('/importWorker.ts'))!
  const own = (path: string) => Object.keys(outputs[path]!.inputs).some((input) => /^src\/import\/|re2js/.test(input))
  const parts = Object.keys(outputs).filter(own)
  const size = sum(parts.map((path) => basename(path)))
  t.diagnostic(`import ${size.toFixed(1)} kB`)
  assert.ok(parts.includes(worker) && size > 30 && size <= 90)
})

test('no schema and no other package than these is in the bundle', () => {
  const packages = new Set(
    Object.keys(bundle.metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  const expected = [
    '@codemirror/autocomplete',
    '@codemirror/commands',
    '@codemirror/lang-javascript',
    '@codemirror/language',
    '@codemirror/lint',
    '@codemirror/state',
    '@codemirror/streamparser',
    '@codemirror/view',
    '@fontsource-variable/inter',
    '@lezer/common',
    '@lezer/highlight',
    '@lezer/javascript',
    '@lezer/lr',
    '@marijn/find-cluster-break',
    '@preact/signals',
    '@preact/signals-core',
    '@tanstack/query-core',
    '@tanstack/virtual-core',
    'crelt',
    'diff',
    'lucide',
    'preact',
    'preact-iso',
    're2js',
    'style-mod',
    'uplot',
    'w3c-keyname',
  ]
  assert.deepEqual([...packages].sort(), expected)
  const own = Object.keys(bundle.metafile.inputs).filter((path) => path.startsWith('src/'))
  assert.deepEqual(
    own.filter((path) => !/^src\/(dashboard|contract|import)\//.test(path)),
    [],
  )
})

test('no page sets HTML from a text', () => {
  for (const file of globSync('src/dashboard/**/*.{ts,tsx}', { cwd: root }))
    assert.ok(
      !/dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
      file,
    )
})

type Node = { type: string; value?: unknown; name?: { name?: string }; [member: string]: unknown }

/** Every node below a node, itself included. */
function* nodesOf(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node))
    for (const each of [value].flat()) if (each && typeof (each as Node).type === 'string') yield* nodesOf(each as Node)
}

const shownAttributes = new Set(['title', 'label', 'placeholder', 'alt', 'aria-label', 'aria-description', 'summary'])
const hasWords = (value: unknown) => typeof value === 'string' && /\p{L}{2,}/u.test(value)

/** Texts of a page that are not from words/. */
function ownTexts(source: string): string[] {
  const { program } = parseSync('page.tsx', source)
  return [...nodesOf(program as unknown as Node)].flatMap((node) => {
    if (node.type === 'JSXText' && hasWords(node.value)) return [`${node.value}`.trim()]
    if (node.type !== 'JSXAttribute' || !shownAttributes.has(node.name?.name ?? '')) return []
    const value = node.value as Node | null
    return value?.type === 'Literal' && hasWords(value.value) ? [`${value.value}`] : []
  })
}

test('the texts of the pages stand in words/ alone', () => {
  assert.deepEqual(ownTexts('const a = <p title="Hello there">Some words {x}</p>'), ['Hello there', 'Some words'])
  for (const file of globSync('src/dashboard/window/**/*.tsx', { cwd: root }))
    assert.deepEqual(ownTexts(readFileSync(join(root, file), 'utf8')), [], file)
})

test('the styles use logical directions alone', () => {
  const physical =
    /(?:^|[\s;{])(?:(?:margin|padding|border)-(?:left|right|top|bottom)|left|right|top|bottom|text-align:\s*(?:left|right)|float)\b\s*:/m
  for (const file of globSync('src/dashboard/window/style/*.css', { cwd: root }))
    assert.ok(!physical.test(readFileSync(join(root, file), 'utf8')), file)
})
