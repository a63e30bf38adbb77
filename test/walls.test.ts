import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const exclude = ['**/node_modules/**']
const files = globSync(['src/**/*.{ts,tsx}', 'test/**/*.ts', 'scripts/**/*.{ts,cjs}', 'bench/**/*.ts'], {
  cwd: root,
  exclude,
}).sort()
const isTest = (file: string) => /^test\/|\.(test|suite|fixture)\.ts$/.test(file)
const source = files.filter((file) => file.startsWith('src/') && !isTest(file))

type Import = { to: string; isType: boolean }

/** The imports of a file: our files as paths below src/, everything else by name. */
function importsOf(file: string): Import[] {
  const statement = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm
  const call = /\bimport\('([^']+\.tsx?)'/g
  const program = /\bprogramUrl\('([^']+\.ts)'/g
  const text = read(file)
  const own = (path: string) => {
    if (path.startsWith('#')) return path.slice(1)
    return path.startsWith('.') ? normalize(join(dirname(file), path)).replace(/^src\//, '') : path
  }
  return [
    ...[...text.matchAll(statement)].map(([, type, path]) => ({ to: own(path!), isType: type !== undefined })),
    ...[...text.matchAll(call)].map(([, path]) => ({ to: own(path!), isType: false })),
    ...[...text.matchAll(program)].map(([, path]) => ({ to: path!, isType: false })),
  ]
}

const imports = new Map(source.map((file) => [file.replace(/^src\//, ''), importsOf(file)]))
const isOurs = (to: string) => imports.has(to)

type Wall = { of: RegExp; may: (to: string, isType: boolean) => boolean; says: string }
const inFolder = (...folders: string[]) => {
  const start = new RegExp(`^(${folders.join('|')})/`)
  return (to: string) => !isOurs(to) || start.test(to)
}

/** The files of the contract without schemas, or whose schemas the dashboard build removes. */
const isWithoutSchema = new Set([
  'contract/alertKinds.ts',
  'contract/client.ts',
  'contract/dashboardLanguage.ts',
  'contract/deliveryStatus.ts',
  'contract/rule/regexIssue.ts',
  'contract/seal.ts',
  'contract/shopNames.ts',
])

/** What each folder may import. A folder that is not listed may import everything. */
const walls: Wall[] = [
  { of: /^contract\//, may: inFolder('contract'), says: 'the contract imports nothing of ours' },
  { of: /^contract\//, may: (to) => !to.startsWith('node:'), says: 'the contract runs in a browser' },
  { of: /^kit\//, may: inFolder('kit'), says: 'kit/ imports nothing of the domain' },
  {
    of: /^provider\/form\//,
    may: inFolder('provider/form', 'contract', 'kit'),
    says: 'the form of a provider file does not depend on what reads it',
  },
  {
    of: /^provider\/vendors\//,
    may: inFolder('provider/vendors', 'provider/form', 'contract'),
    says: 'what several vendors share is written with the form alone',
  },
  {
    of: /^provider\//,
    may: inFolder('provider', 'contract', 'kit'),
    says: 'provider/ imports no other folder of ours',
  },
  {
    of: /^providers\//,
    may: (to, isType) =>
      inFolder('provider/form', 'provider/vendors', 'providers')(to) || (isType && to.startsWith('contract/')),
    says: 'a provider file imports provider/form/ and provider/vendors/ only',
  },
  {
    of: /^providers\/(?!index\.ts|examples\/)/,
    may: (to) => !to.startsWith('providers/'),
    says: 'a provider is one file: it imports no other file of providers/',
  },
  {
    of: /^plugin\//,
    may: inFolder('plugin', 'provider', 'contract', 'kit'),
    says: 'what a plugin is knows no other noun',
  },
  { of: /^plugins\//, may: inFolder('plugin', 'plugins'), says: 'a plugin is made of the words of plugin/ alone' },
  {
    of: /^import\//,
    may: (to) => inFolder('import', 'contract')(to) && !to.startsWith('node:'),
    says: 'an import is pure and runs in a browser',
  },
  { of: /^rule\//, may: inFolder('rule', 'contract'), says: 'the rules of channels know no other noun' },
  { of: /^browser\//, may: inFolder('browser', 'contract'), says: 'the browser has the contract alone' },
  {
    of: /^dashboard\/(?!window\/pages\/moveIn\/importWorker\.ts$)/,
    may: (to, isType) => inFolder('dashboard', 'contract')(to) || (isType && to.startsWith('import/')),
    says: 'the dashboard is a client of the control API and has the contract alone',
  },
  {
    of: /^dashboard\/window\/pages\/moveIn\/importWorker\.ts$/,
    may: inFolder('import', 'contract'),
    says: 'the worker that reads an export has the imports and the contract alone',
  },
  {
    of: /^dashboard\/(?!window\/)/,
    may: (to, isType) => !to.startsWith('dashboard/window/') && (isType || isOurs(to)),
    says: 'what is beside window/ is pure: it knows no browser and no package',
  },
  {
    of: /^dashboard\/window\//,
    may: (to, isType) => isType || !to.startsWith('contract/') || isWithoutSchema.has(to),
    says: 'a page imports no schema at run time',
  },
  ...['data', 'parts', 'frame', 'pages'].map((layer, at, layers) => ({
    of: new RegExp(`^dashboard/window/${layer}/`),
    may: (to: string) => !layers.slice(at + 1).some((later) => to.startsWith(`dashboard/window/${later}/`)),
    says: 'the layers of the dashboard are data, parts, frame, pages: each knows only those before it',
  })),
  {
    of: /^cli\/(?!operator\/)/,
    may: (to) =>
      to === 'settings/settings.ts' || (inFolder('cli', 'contract', 'import')(to) && !to.startsWith('cli/operator/')),
    says: 'the command line has the contract, imports and the settings; what the operator does is handed in',
  },
  {
    of: /^cli\/operator\//,
    may: (to) => !/^(edge|control)\//.test(to),
    says: 'the operator works on nouns, not through the planes',
  },
  {
    of: /^(?!providers\/examples\/)/,
    may: (to) => !/^providers\/examples\//.test(to),
    says: 'the server does not load the examples of providers',
  },
  { of: /^edge\//, may: (to) => !to.startsWith('control/'), says: 'the edge reads snapshots (script/snapshot.ts)' },
  { of: /^control\//, may: (to) => !to.startsWith('edge/'), says: 'control writes snapshots (script/snapshot.ts)' },
  {
    of: /^(?!(main|postgresAdapters)\.ts$|postgres\/shards\/|(store|stream|cluster)\/(sqlite|log|postgres))/,
    may: (to) => !/^(store|stream|cluster)\/(sqlite|log|postgres)|^postgresAdapters\.ts$/.test(to),
    says: 'only main.ts chooses adapters',
  },
  {
    of: /^(?!postgresAdapters\.ts$|postgres\/shards\/)/,
    may: (to) => !to.startsWith('postgres/shards/'),
    says: 'event shards are known by their interface alone (runtime/eventShards.ts)',
  },
]

test('every wall stands', () => {
  for (const [file, reached] of imports)
    for (const { may, says } of walls.filter((wall) => wall.of.test(file)))
      for (const { to, isType } of reached) assert.ok(may(to, isType), `${file} imports ${to}: ${says}`)
})

test('every import of ours is there', () => {
  for (const [file, reached] of imports)
    for (const { to } of reached)
      if (/^[\w/]+\.tsx?$/.test(to)) assert.ok(isOurs(to), `${file} imports ${to}, which is not there`)
})

test('no file imports itself by a detour', () => {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]) => {
    assert.ok(!path.includes(file), `a circle: ${[...path.slice(path.indexOf(file)), file].join(' → ')}`)
    if (done.has(file)) return
    for (const { to } of imports.get(file) ?? []) if (isOurs(to)) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
})

/**
 * The folders in import order: a folder imports only those before it. `store/sqlite` and similar count as separate
 * folders.
 */
const folderOrder = `
  contract import kit log settings mail postgres provider/form provider/vendors provider/engine providers plugin plugins sandbox
  stream stream/dedup store cluster
  limit account tag geo rule script policy manifest consent/text event consent sources user match journal order webhook delivery alert
  store/sqlite stream/log store/postgres stream/postgres
  http edge control cli runtime postgres/shards cli/operator browser dashboard (root)`
  .trim()
  .split(/\s+/)

const folderOf = (file: string): string => {
  const [first, second, third] = file.split('/')
  if (!second) return '(root)'
  const nested = `${first}/${second}`
  return third !== undefined && folderOrder.includes(nested) ? nested : first!
}

test('folders have no cycle: a folder imports only those before it', () => {
  assert.deepEqual(folderOrder, [...new Set(folderOrder)])
  const before = (to: string, file: string) =>
    folderOrder.indexOf(folderOf(to)) <= folderOrder.indexOf(folderOf(file)) && folderOrder.includes(folderOf(file))
  const backwards = [...imports].flatMap(([file, reached]) =>
    reached.filter(({ to }) => isOurs(to) && !before(to, file)).map(({ to }) => `${file} imports ${to}`),
  )
  assert.deepEqual(backwards, [])
})

test('every thread of the server is started by the one wrapper, which has a rule for its death; a page has one worker', () => {
  const starters = source.filter((file) => /\bnew Worker\(/.test(read(file)))
  assert.deepEqual(starters, ['src/dashboard/window/pages/moveIn/readInWorker.ts', 'src/kit/workerThread.ts'])
})

test('no thread or child process loads the library of schemas, which is five times as large as its own code', () => {
  const starts = [...imports.keys()].filter((file) => /\.thread\.ts$|^sandbox\/(child|parseChild)\.ts$/.test(file))
  const reached = new Set(starts)
  for (const file of reached) for (const { to, isType } of imports.get(file) ?? []) if (!isType) reached.add(to)
  assert.ok(reached.has('kit/sqlite.ts') && reached.has('contract/fault.ts'), 'the imports are followed')
  assert.deepEqual(
    [...reached].filter((to) => /^typebox\b/.test(to)),
    [],
  )
})

test('no file is over 300 lines, no test over 400', () => {
  for (const file of files) {
    const lines = read(file).split('\n').length - 1
    const most = isTest(file) ? 400 : 300
    assert.ok(lines <= most, `${file} has ${lines} lines, more than ${most}`)
  }
})

/** The longest function of a file. The formatter ends a body at the indentation of the line that starts it. */
function longestFunction(text: string): { line: number; lines: number } {
  const lines = text.split('\n')
  const opens = /^(\s*)(?!.*\b(?:if|for|while|switch|catch|class)\b \()(?:.*(?:=>|\)(?::.*)?) \{)$/
  let longest = { line: 0, lines: 0 }
  for (const [n, line] of lines.entries()) {
    const indent = opens.exec(line)?.[1]
    if (indent === undefined) continue
    const end = lines.findIndex((other, m) => m > n && other.startsWith(`${indent}}`))
    if (end - n > longest.lines) longest = { line: n + 1, lines: end - n + 1 }
  }
  return longest
}

test('no function is over 60 lines', () => {
  const long = `const a = async (\n  b: string,\n): Promise<void> => {\n${'  run()\n'.repeat(60)}}\n`
  assert.deepEqual(longestFunction(long), { line: 3, lines: 62 })
  for (const file of source) {
    const { line, lines } = longestFunction(read(file))
    assert.ok(lines <= 60, `${file}:${line} has a function of ${lines} lines`)
  }
})

test('the generated lists are fresh', () => {
  for (const script of ['scripts/providers.ts', 'scripts/plugins.ts', 'scripts/docs.ts'])
    execFileSync(process.execPath, [script, '--check'], { cwd: root, stdio: 'pipe' })
})

test('every runtime dependency has its line in docs/dependencies.md, and there are at most 33', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  assert.ok(names.length <= 33, `${names.length} runtime dependencies`)
  for (const name of names) assert.ok(read('docs/dependencies.md').includes(`\`${name}\``), `${name} has no line`)
})

test('names are words of the contract', () => {
  const folder = /(^|\/)(utils?|helpers?|lib|common|misc|types\.ts|index\.ts)(\/|$)/
  const name = /\b(?:class|type|interface|function|const)\s+\w*(?:Manager|Handler|Helper|Factory|Abstract|Impl)\w*/
  for (const file of source) {
    assert.ok(!folder.test(file.replace(/(providers|plugins)\/index\.ts/, '')), `${file}: name it by what it is`)
    assert.ok(!name.test(read(file)), `${file}: ${name.exec(read(file))?.[0]}`)
  }
})

test('nothing is left to be done later, and the project speaks of itself alone', () => {
  const words = /\b(?:TODO|FIXME|XXX)\b|\/work\/|@ts-(?:ignore|nocheck)/
  const texts = globSync(['**/*.md', '*.json', '.ci/run'], {
    cwd: root,
    exclude: [...exclude, 'package-lock.json'],
  })
  for (const file of [...files, ...texts].filter((each) => each !== 'test/walls.test.ts'))
    assert.ok(!words.test(read(file)), `${file}: ${words.exec(read(file))?.[0]}`)
})
