import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Runs the suites with the spec reporter: `npm test`, `npm test -- --test-name-pattern=cookie`, `npm test -- src/edge`.
 * Arguments that are not flags select files by a part of their path. `--all` (`npm run test:all`) adds the slow files and
 * tests every property with its full number of cases. Suites that kill, install or need root have their own commands.
 * `--retry` runs failed processes once more, alone, and names them: a briefly busy machine does not fail a run of thousands
 * of tests, and an unstable test is still reported. `--times` lists the CPU time and the elapsed time of each process,
 * including its children.
 */
const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache/aglet')
const heavy = /^test\/(clients|cluster|dashboard|fault|hostile|oracle|sandbox|ship|shops|walk)\//
/**
 * Files that start browsers, compilers, database servers or many programs, fill memory and disk, or wait for many events of
 * a server: some minutes, only in `npm run test:all`.
 */
const slow =
  /\/postgres\/|^src\/(postgresAdapters|runtime\/sharedRootKey|sandbox\/memory|cli\/operator\/moveBackup)\.|^test\/(browser\/|ssrf\/rebinding|edge\/(raw|proxies|shopPath)|(backup|clientPackage|cluster|completion|composeManyDatabase|diskBudget|firstHour|importedDelivery|journey\/(alerts|dashboardReads|erasure|playground|previewLink|webhook|webhookTemplates)|lateStart|newProvider|roleModules|rotation|scopeLaw|setup|shards|start|upgrade|walkThrough)\.test\.ts)/
/** Files that replace the clock or modules of their process. */
const wantsOwnProcess = /\bmock\./

const words = process.argv.slice(2)
const isFullRun = words.includes('--all')
const mayRetry = words.includes('--retry')
const showsTimes = words.includes('--times')
const own = ['--all', '--retry', '--times']
const flags = words.filter((word) => word.startsWith('-') && !own.includes(word))
const wanted = words.filter((word) => !word.startsWith('-'))
const isChosenByName = flags.some((flag) => /^--test-(name|skip)-pattern|^--test-only/.test(flag))
// packages contain tests of their own
const exclude = (path: string) => /(^|\/)node_modules$/.test(path)
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root, exclude })
  .filter((file) =>
    wanted.length > 0
      ? wanted.some((word) => file.includes(word))
      : !heavy.test(file) && (isFullRun || !slow.test(file)),
  )
  .sort()

if (files.length === 0) {
  process.stderr.write(`No test file has ${wanted.join(' or ')} in its path.\n`)
  process.exit(2)
}

/** The folders of `src/` whose tests take long enough for a separate process. */
const longFolders = new Set(
  'account browser cli control delivery http kit provider providers sandbox script store stream'.split(' '),
)

/** Files of `test/` that share a process: files that load the same modules, and files that read the repository. */
const shared: readonly (readonly [name: string, files: RegExp])[] = [
  ['test/vendors', /^test\/vendors\b/],
  ['test/control', /^test\/(cli|client|contract|importPlan|negative)\./],
  [
    'test/files',
    /^test\/(bench|buildPackages|changelog|compose(Many)?|docImages|docs|exports|manual|names|ownPart|regexes|shopifyPixel|turns|vocabulary|walls|workflows)\./,
  ],
  ['test/edge', /^test\/(edge|ssrf)\//],
  ['test/first', /^test\/(firstHour|firstRun|ownConnections)\./],
  ['test/others', /^test\/(capacity|fuzz|joinLaw|release|fake\/\w+)\./],
]

/**
 * Files of which each starts a server: they are dealt out to this many processes, because the modules of a process are loaded
 * once, and one process for all of them would outlast the others.
 */
const dealt: readonly (readonly [name: string, files: RegExp, processes: number])[] = [
  ['test/journey', /^test\/(importedDelivery|journey\/(?!alerts|erasure|webhook\.)[^/]*)\./, 3],
  ['test/browser', /^test\/browser\//, 4],
  ['test/dashboard', /^test\/dashboard\//, 11],
]

function dealtProcessOf(file: string): string | undefined {
  const [name, some, processes] = dealt.find(([, some]) => some.test(file)) ?? []
  if (some === undefined || processes === undefined) return undefined
  return `${name}/${files.filter((each) => some.test(each)).indexOf(file) % processes}`
}

/** The process of a file: if it can be shared, its folder's in `src/`, or the one of the short folders. */
function processOf(file: string): string {
  const [top, folder = ''] = file.split('/')
  const ownName = file.replace(/\.test\.ts$/, '')
  if (wantsOwnProcess.test(readFileSync(join(root, file), 'utf8'))) return ownName
  const dealtName = dealtProcessOf(file)
  if (dealtName) return dealtName
  if (top !== 'src') return (!slow.test(file) && shared.find(([, files]) => files.test(file))?.[0]) || ownName
  if (longFolders.has(folder)) return `${top}/${folder}`
  return slow.test(file) ? `${top}/slow` : `${top}/others`
}

/**
 * A hanging test ends after the first limit, its whole process after the second: the runner's own limit does not end a
 * process. Both are far above the longest test, so that a busy machine reaches neither.
 */
const askedLimit = flags.find((flag) => flag.startsWith('--test-timeout='))?.split('=')[1]
const testLimitMs = Number(askedLimit ?? 300_000)
const processLimitMs = 2 * testLimitMs

/** Ends its own process: cleanly while the event loop turns, else from a thread that watches it. */
const limit = (name: string) => `import { Worker } from 'node:worker_threads'
setTimeout(() => {
  console.error(${JSON.stringify(`${name} did not end within ${processLimitMs / 1_000} s.`)})
  process.exit(1)
}, ${processLimitMs}).unref()
new Worker('setTimeout(() => process.kill(process.pid, "SIGKILL"), ${processLimitMs + 10_000})', { eval: true }).unref()
`

/**
 * A module that runs these files in sequence. A separate test loads each file, and the file's tests are its subtests: its
 * resources are open only while it runs, and its hooks only affect its own tests. No test of a file starts before the file is
 * loaded, otherwise the runner could consider all of them finished. If tests are selected by name, the runner would skip the
 * tests of files, so all files are loaded first. A file that cannot be loaded fails, and the others still run. The file
 * `mark` remains unless all tests passed.
 */
const together = (
  paths: readonly string[],
  mark: string,
  times: string,
) => `${fewerCases(paths)}import ${fakeUrl('madeKeys')}
import ${fakeUrl('builtThreads')}
import ${fakeUrl('openOnce')}
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { before, test } from 'node:test'
process.on('exit', () => {
  process.exitCode || rmSync(${JSON.stringify(mark)}, { force: true })
  writeFileSync(${JSON.stringify(times)}, String(performance.now() / 1_000) + ' ' + secondsOfCores())
})
/** Of this process and of those that it has waited for, which Linux counts in hundredths. */
function secondsOfCores() {
  const { user, system } = process.cpuUsage()
  let others = 0
  try {
    const [waitedUser, waitedSystem] = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(13)
    others = (Number(waitedUser) + Number(waitedSystem)) / 100
  } catch {}
  return (user + system) / 1e6 + others
}
${isChosenByName || paths.length === 1 ? loadAll(paths) : loadEach(paths)}
`

const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(root, file)).href)

const loadEach = (paths: readonly string[]) => `
const load = (file, url) => test(file, { timeout: ${processLimitMs} }, async (context) => {
  const loaded = Promise.withResolvers()
  context.before(() => loaded.promise)
  await import(url).finally(loaded.resolve)
})
${paths.map((file) => `load(${JSON.stringify(file)}, ${urlOf(file)})`).join('\n')}`

const loadAll = (paths: readonly string[]) => `
const loaded = Promise.withResolvers()
before(() => loaded.promise)
const load = (file, url) => import(url).catch((problem) => void test(file + ' is loaded', () => { throw problem }))
${paths.map((file) => `await load(${JSON.stringify(file)}, ${urlOf(file)})`).join('\n')}
loaded.resolve()`

const fakeUrl = (name: string) => urlOf(`test/fake/${name}.ts`)

/** The number of cases of a property without its own: fast-check's 100 only in a full run. */
const fewerCases = (paths: readonly string[]) =>
  !isFullRun && paths.some((path) => readFileSync(join(root, path), 'utf8').includes("from 'fast-check'"))
    ? `import fc from ${JSON.stringify(pathToFileURL(join(root, 'node_modules/fast-check/lib/fast-check.js')).href)}
fc.configureGlobal({ numRuns: 20 })
`
    : ''

/** A folder for this test run, deleted when it ends. */
function makeFolder(): string {
  const folder = join(cache, 'tests', `${process.pid}`)
  mkdirSync(folder, { recursive: true })
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Files and processes that take longer than their size suggests: they start many servers, wait for them, or type a lot. */
const lasts =
  /^(src\/(account|sandbox|slow|store)|test\/(control|edge|first|start|lateStart|shards|walkThrough|journey\/(\d|alerts|erasure|webhook)|upgrade|backup|rotation|cluster|browser\/.*|dashboard\/(govern|typing)\.test\.ts))$/

/** Writes a module for each process, and returns their paths. The runner takes them by name: the longest come first. */
function writeProcesses(folder: string): string[] {
  const bytes = (path: string) => statSync(join(root, path)).size
  const lasting = ([name, paths]: [string, string[]]) =>
    paths.reduce((sum, path) => sum + bytes(path), [name, ...paths].some((each) => lasts.test(each)) ? 200_000 : 0)
  return [...Map.groupBy(files, processOf)]
    .sort((one, other) => lasting(other) - lasting(one))
    .map(([name, paths], at) => {
      const path = join(folder, `${`${at}`.padStart(3, '0')} ${name.replaceAll('/', ' ')}.mjs`)
      writeFileSync(path, limit(name) + together(paths, markOf(path), timesOf(path)))
      writeFileSync(markOf(path), '')
      return path
    })
}

/** A file that exists until the process has passed. */
const markOf = (path: string) => `${path}.failed`

/** The file with the times of a process. */
const timesOf = (path: string) => `${path}.times`

/** Test databases are deleted with the run: memory saves waiting for a disk. */
function temporary(): { TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 2 ** 31 ? { TMPDIR: '/dev/shm' } : {}
  } catch {
    return {}
  }
}

// One process more than cores, because many wait for their servers; types are stripped once for all.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`
const folder = makeFolder()
const all = isFullRun && { TESTS: 'all' }
let running: ChildProcess | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running?.kill(signal))

/** Runs each of these modules in a separate process. Resolves with the exit code. */
async function run(modules: readonly string[]): Promise<number> {
  const options = ['--test', '--test-reporter=spec', `--test-timeout=${testLimitMs}`, concurrency, ...flags]
  running = spawn(process.execPath, [...options, ...modules], {
    cwd: root,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: cache, ...temporary(), ...process.env, TESTS_FOLDER: folder, ...all },
  })
  const [code, signal] = (await once(running, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal === 'SIGINT' || signal === 'SIGTERM' ? 130 : (code ?? 1)
}

/** Prints the most expensive process first, and the totals. */
function printTimes(modules: readonly string[]): void {
  const rows = modules
    .filter((path) => existsSync(timesOf(path)))
    .map((path) => [basename(path, '.mjs'), ...readFileSync(timesOf(path), 'utf8').split(' ').map(Number)] as const)
    .sort(([, , one = 0], [, , other = 0]) => other - one)
  const row = (name: string, cores: number, clock: number) => `${cores.toFixed(1)} s  ${clock.toFixed(1)} s  ${name}\n`
  const sum = rows.reduce((all, [, , cores = 0]) => all + cores, 0)
  process.stderr.write('\nof a core, on the clock, process\n')
  for (const [name, clock = 0, cores = 0] of rows) process.stderr.write(row(name, cores, clock))
  process.stderr.write(row('all', sum, performance.now() / 1_000))
}

/** More failed processes than this are not explained by a briefly busy machine. */
const mostRetried = 5

await import('./bundle.ts') // builds what tests start and browsers load, once for all processes
const modules = writeProcesses(folder)
process.exitCode = await run(modules)
if (showsTimes) printTimes(modules)
const failed = modules.filter((path) => existsSync(markOf(path)))
if (mayRetry && process.exitCode === 1 && failed.length > 0 && failed.length <= mostRetried) {
  const names = failed.map((path) => basename(path, '.mjs')).join(', ')
  process.stderr.write(`\nFAILED, and run once more: ${names}\n\n`)
  process.exitCode = await run(failed)
  if (process.exitCode === 0) process.stderr.write(`\nUNSTABLE: passed at the second run only: ${names}\n`)
}
