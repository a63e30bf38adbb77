import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs what the suites with programs of others need. Each installer does nothing if it has run before, and resolves with
 * whether all is there. Several run side by side, because each waits for its registry most of the time.
 */
const root = join(import.meta.dirname, '..')

function run(program: string, words: readonly string[], cwd: string, env = process.env): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  spawn(program, words, { cwd, env, stdio: ['ignore', 2, 2] })
    .once('error', () => resolve(false))
    .once('close', (code) => resolve(code === 0))
  return promise
}

type Package = { dependencies: Readonly<Record<string, string>> }
const say = (sentence: string) => void process.stderr.write(`${sentence}\n`)

/** The packages of the `package.json` in this folder, without their install scripts. */
export async function installNpm(folder: string, ...flags: readonly string[]): Promise<boolean> {
  const { dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Package
  // npm writes `.package-lock.json` last
  const wanted = ['.package-lock.json', ...Object.keys(dependencies)]
  if (wanted.every((name) => existsSync(join(root, folder, 'node_modules', name)))) return true
  say(`Installing the packages of ${folder} (once).`)
  // not `npm ci`: it refuses a lock file without the optional packages of other platforms, which a registry may lack
  const words = ['install', '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefer-offline', ...flags]
  return run('npm', words, join(root, folder))
}

/** The packages of a `requirements.txt`, in an environment in this folder. */
export async function installPython(environment: string, requirements: string): Promise<boolean> {
  const folder = join(root, environment)
  const mark = join(folder, 'installed')
  if (existsSync(mark)) return true
  say(`Installing ${requirements} into ${environment} (once).`)
  // Python compiles what it loads at its first load.
  const words = ['install', '--quiet', '--no-compile', '-r', join(root, requirements)]
  const isInstalled =
    (await run('python3', ['-m', 'venv', folder], root)) && (await run(join(folder, 'bin/pip'), words, root))
  if (isInstalled) writeFileSync(mark, '')
  return isInstalled
}

/** The classes and libraries of the `pom.xml` in this folder, into the folders `classes` and `lib` of the target. */
export async function buildWithMaven(folder: string, target: string): Promise<boolean> {
  const built = join(root, target)
  if (existsSync(join(built, 'lib'))) return true
  say(`Building ${folder} into ${target} (once).`)
  const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${join(built, 'lib')}`]
  const isBuilt = await run('mvn', ['-q', '-B', '-f', 'pom.xml', `-Dtarget=${built}`, ...goals], join(root, folder))
  if (!isBuilt) say(`NOT RUN: the tests of ${folder}, which needs Java 17 or newer and Maven.`)
  return isBuilt
}

/** A program that Go builds, into this folder. */
export async function buildWithGo(path: string, into: string): Promise<boolean> {
  const folder = join(root, into)
  const name = path.split('@')[0]!.split('/').at(-1)!
  if (existsSync(join(folder, name))) return true
  say(`Building ${name} into ${into} (once).`)
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod' }
  const isBuilt = await run('go', ['install', '-trimpath', path], root, env)
  if (!isBuilt) say(`NOT CHECKED: ${name}, which Go 1.24 or newer builds.`)
  return isBuilt
}
