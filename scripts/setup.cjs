/**
 * Installs what is missing before a command of package.json runs: the packages of the lock file, including Node 24.
 * `--runtime` installs the dependencies and those of the build (`build/package.json`); by default also the devDependencies.
 * Plain CommonJS, so that an older Node can run it. It only writes to standard error: standard output belongs to the command
 * that follows. If nothing is missing, it only reads two small files.
 */
const { spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} = require('node:fs')
const { tmpdir } = require('node:os')
const { dirname, join, relative } = require('node:path')
const { prune } = require('./prune.cjs')

const root = join(__dirname, '..')
const wantsDev = !process.argv.includes('--runtime')

const packagesOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages
const fits = (list, own) => !list || [].concat(list).includes(own)

/** Whether npm leaves an optional package out on this machine. Only npm knows the C library. */
const mayBeAbsent = ({ optional, devOptional, os, cpu, libc }) =>
  (optional || devOptional) && (libc || !fits(os, process.platform) || !fits(cpu, process.arch))

/** True if node_modules matches the lock file. npm writes `.package-lock.json` last, so a partial install lacks it. */
function isInstalled() {
  let installed
  try {
    installed = packagesOf('node_modules/.package-lock.json')
  } catch {
    return false
  }
  return Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) => {
    if (path === '' || (wanted.dev && !wantsDev)) return true
    const found = installed[path]
    if (!found) return mayBeAbsent(wanted)
    return found.version === wanted.version && found.integrity === wanted.integrity
  })
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (problem) {
    return problem.code === 'EPERM'
  }
}

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** Allows one set-up of this folder at a time. Takes over the lock of a dead process. Outside node_modules, which npm empties. */
function lock() {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const path = join(tmpdir(), `aglet-setup-${name}`)
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid}`)
  for (let told = false; ; sleep(100)) {
    try {
      linkSync(own, path) // link, not write: the lock never exists without its owner's id
      rmSync(own)
      return () => rmSync(path, { force: true })
    } catch (problem) {
      if (problem.code !== 'EEXIST') throw problem
      if (!isAlive(ownerOf(path))) rmSync(path, { force: true })
      else if (!told) told = Boolean(process.stderr.write('Another command is setting up here; waiting for it.\n'))
    }
  }
}

function ownerOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch {
    return process.pid // it was just released
  }
}

function install() {
  const which = wantsDev ? '--include=dev' : '--omit=dev'
  process.stderr.write(`Setting up: npm ci ${which} (once; after that only when the lock file changes).\n`)
  const { npm_execpath: path = '' } = process.env
  const npm = path.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
  // An older Node gets a warning for each package, and runs none of them. No package may run install scripts: an older npm
  // ignores `allowScripts`. Packages include their binaries; the commands of package.json build the rest.
  const words = ['ci', '--ignore-scripts', which, '--include=optional', '--loglevel=error']
  const { status } = spawnSync(npm[0], [...npm.slice(1), ...words], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status === 0 && !wantsDev) prune(join(root, 'node_modules'))
  return status === 0
}

/**
 * Puts Node's package where npm looks for commands. npm 10 does not: of several packages with a command `node` it links only
 * the first by name, which is for another system.
 */
function linkNode() {
  const link = join(root, 'node_modules/.bin/node')
  if (existsSync(link)) return
  const isOurs = ({ os, cpu }) => fits(os, process.platform) && fits(cpu, process.arch)
  const brought = Object.entries(packagesOf('package-lock.json'))
    .filter(([path, { bin, ...wanted }]) => path !== '' && bin && bin.node && isOurs(wanted))
    .map(([path, { bin }]) => join(root, path, bin.node))
    .find((file) => existsSync(file))
  if (!brought) return
  mkdirSync(dirname(link), { recursive: true })
  chmodSync(brought, 0o755)
  try {
    symlinkSync(relative(dirname(link), brought), link)
  } catch (problem) {
    if (problem.code !== 'EEXIST') throw problem // another command was faster
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function setUp() {
  const release = lock()
  try {
    return isInstalled() || install()
  } finally {
    release()
  }
}

if (!isInstalled() && !setUp())
  fail('Set-up failed: npm ci did not succeed; what it says stands above. Run the command again when that is mended.')
linkNode()
if (!existsSync(join(root, 'node_modules/.bin/node')) && Number.parseInt(process.versions.node, 10) < 24)
  fail(
    `Aglet needs Node 24 or 26. This machine has ${process.version}, and npm brought none for ` +
      `${process.platform}-${process.arch}: install Node 24 and run the command again.`,
  )
