import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Tests a running server with third-party SDKs and tools: `npm run test:clients`. The first run installs them: npm packages
 * into test/clients/sdks/, Python packages into an environment below node_modules/.cache, beside it the generator of Go
 * clients, and a program with Segment's Kotlin SDK, which Maven builds. Tests of a missing client are skipped and say so;
 * with NEEDS_CLIENTS they fail. Arguments are those of `npm test`.
 */
const root = join(import.meta.dirname, '..')
const folder = join(root, 'test/clients/sdks')
const python = join(root, 'node_modules/.cache/aglet/clients-python')

const goFolder = join(root, 'node_modules/.cache/aglet/go')

const run = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { cwd: folder, stdio: ['ignore', 2, 2] }).status === 0

if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
  process.stderr.write('Installing the SDKs of npm into test/clients/sdks (once).\n')
  // not `npm ci`: it refuses a lock file without the optional packages of other platforms, which a registry may lack
  run('npm', ['install', '--ignore-scripts', '--no-save'])
}
if (!existsSync(join(folder, 'reactNative/node_modules/.package-lock.json'))) {
  process.stderr.write('Installing the SDK for React Native into test/clients/sdks/reactNative (once).\n')
  // without its peers: React Native itself is large, and the test uses a stand-in
  run('npm', ['install', '--prefix', 'reactNative', '--ignore-scripts', '--no-save', '--legacy-peer-deps'])
}
if (!existsSync(join(python, 'installed'))) {
  process.stderr.write('Installing the SDKs of Python into node_modules/.cache/aglet/clients-python (once).\n')
  const isInstalled =
    run('python3', ['-m', 'venv', python]) &&
    run(join(python, 'bin/pip'), ['install', '--quiet', '-r', join(folder, 'requirements.txt')])
  if (isInstalled) run('touch', [join(python, 'installed')])
}
const generator = 'oapi-codegen/v2/cmd/oapi-codegen@v2.5.0'
if (!existsSync(join(goFolder, 'oapi-codegen'))) {
  process.stderr.write('Building oapi-codegen into node_modules/.cache/aglet/go (once).\n')
  const env = { ...process.env, GOBIN: goFolder, GOFLAGS: '-mod=mod' }
  const words = ['install', '-trimpath', `github.com/oapi-codegen/${generator}`]
  const { status } = spawnSync('go', words, { env, stdio: ['ignore', 2, 2] })
  if (status !== 0) process.stderr.write('NOT CHECKED: oapi-codegen, which Go 1.24 or newer builds.\n')
}
const javaFolder = join(root, 'node_modules/.cache/aglet/clients-kotlin')
if (!existsSync(join(javaFolder, 'lib'))) {
  process.stderr.write(
    'Building a program with the SDK for Kotlin into node_modules/.cache/aglet/clients-kotlin (once).\n',
  )
  const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${join(javaFolder, 'lib')}`]
  if (!run('mvn', ['-q', '-B', '-f', 'kotlin/pom.xml', `-Dtarget=${javaFolder}`, ...goals]))
    process.stderr.write('NOT RUN: the SDK for Kotlin, which needs Java 17 or newer and Maven.\n')
}
const words = process.argv.slice(2)
const tests = [join(root, 'scripts/test.ts'), 'test/clients/', '--test-concurrency=1', ...words]
const { status } = spawnSync(process.execPath, tests, { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
