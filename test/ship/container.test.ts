import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import {
  codeWalls,
  deliverReadmeEvent,
  environment,
  readReadmeEvent,
  root,
  run,
  start,
  stop,
  type Welcome,
  welcomeOf,
} from './firstEvent.ts'

/**
 * Builds deploy/Containerfile and runs it behind deploy/Caddyfile. No registry of images is asked: the two bases are made here
 * from Debian's packages, under the names of the official ones. Needs root, and what `npm run test:container` installs.
 */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aglet-container-')))
/** A folder in memory: dpkg syncs each file that it unpacks. */
const inMemory = existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}
const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
const debian = 'docker.io/library/debian:bookworm-slim'
const node = 'docker.io/library/node:24-bookworm-slim'
const image = 'localhost/aglet'
const mostImageBytes = 260e6

const call = (program: string, ...words: string[]) =>
  run(program, words, { cwd: root, env: { ...environment, ...inMemory }, maxBuffer: 2 ** 26 })
const podman = (...words: string[]) => call('podman', ...store, '--runtime', 'runc', ...words)
const build = (name: string, ...words: string[]) =>
  call('buildah', ...store, 'bud', '--isolation', 'chroot', '--format', 'docker', '-t', name, ...words)
/** Of the npm that runs this: another Node first on the PATH makes npm look elsewhere for its own settings. */
async function npmSetting(name: string): Promise<string | undefined> {
  const value = (await run('npm', ['config', 'get', name], { cwd: root })).stdout.trim()
  return ['', 'null', 'undefined'].includes(value) ? undefined : value
}

after(async () => {
  await podman('rm', '--all', '--force', '--time', '0').catch(() => {})
  await call('umount', join(folder, 'store/overlay')).catch(() => {}) // podman leaves its storage mounted on itself
  rmSync(folder, { recursive: true, force: true })
})

/** What is in Debian's official slim image: the smallest system that has apt, without manuals and translations. */
async function makeDebian(): Promise<void> {
  const left = ['doc', 'man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  const merged = ['--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr', '--include=usr-is-merged']
  const base = join(folder, 'base.tar')
  await call('mmdebstrap', '--variant=minbase', ...merged, ...left, 'bookworm', base)
  await podman('import', base, debian)
  rmSync(base)
}

/** What the build needs of Node's official image: `node` and `npm`. */
async function makeNode(): Promise<void> {
  const context = join(folder, 'node')
  mkdirSync(context)
  cpSync(process.execPath, join(context, 'node'))
  const npm = dirname(dirname(realpathSync(process.env.npm_execpath!)))
  cpSync(npm, join(context, 'npm'), { recursive: true })
  const lines = [
    `FROM ${debian}`,
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
  ]
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  await build(node, context)
}

before(async () => {
  await makeDebian()
  await makeNode()
  const npmrc = join(folder, 'npmrc')
  const [registry, cafile] = [await npmSetting('registry'), await npmSetting('cafile')]
  const authorities = cafile ?? process.env.NODE_EXTRA_CA_CERTS
  writeFileSync(npmrc, `${registry ? `registry=${registry}\n` : ''}${authorities ? `cafile=${authorities}\n` : ''}`)
  const certificates = '/etc/ssl/certs:/etc/ssl/certs:ro'
  await build(image, '--secret', `id=npmrc,src=${npmrc}`, '--volume', certificates, '-f', 'deploy/Containerfile', '.')
})

test('the image is at most 260 MB, runs as nobody in particular, and holds nothing that only develops', async (t) => {
  const [{ Size, Config }] = JSON.parse((await podman('inspect', image)).stdout)
  t.diagnostic(`${Math.round(Size / 1e6)} MB`)
  assert.ok(Size <= mostImageBytes, `${Size} bytes`)
  assert.equal(Config.User, '10001:10001')
  const listed = await podman(
    'run',
    '--rm',
    '--network',
    'none',
    '--entrypoint',
    'ls',
    image,
    '/usr/local/lib/aglet/node_modules',
  )
  for (const name of ['esbuild', 'swagger-ui-dist', 'typescript', 'aglet-build'])
    assert.ok(!listed.stdout.split('\n').includes(name), name)
})

/** As deploy/compose.yaml runs it. The system's own limits are named, for a machine may not allow the usual ones. */
const walls = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges']
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']

function runImage(name: string, port: number, origin: string) {
  const settings = Object.entries({
    AGLET_HOST: '127.0.0.1',
    AGLET_PORT: `${port}`,
    AGLET_ORIGIN: origin,
    AGLET_TRUST_PROXY: '127.0.0.1',
  }).flatMap(([variable, value]) => ['--env', `${variable}=${value}`])
  const words = ['--rm', '--name', name, '--network', 'host', '--volume', 'data:/var/lib/aglet']
  return start(['podman', ...store, '--runtime', 'runc', 'run', ...words, ...limits, ...walls, ...settings, image], {
    cwd: folder,
  })
}

/** Caddy with the file that compose.yaml gives it, on ports that anybody may have and with certificates of its own. */
async function startProxy(aglet: number, https: number) {
  const options = [
    `http_port ${await freePort()}`,
    `https_port ${https}`,
    'local_certs',
    'skip_install_trust',
    'admin off',
  ]
  const env = {
    ...environment,
    HOME: folder,
    XDG_DATA_HOME: join(folder, 'caddy'),
    AGLET_NAME: 'localhost',
    AGLET_PORT: `${aglet}`,
    CADDY_OPTIONS: options.join('\n'),
  }
  const proxy = start(['caddy', 'run', '--config', join(root, 'deploy/Caddyfile'), '--adapter', 'caddyfile'], {
    cwd: folder,
    env,
  })
  const authority = join(folder, 'caddy/caddy/pki/authorities/local/root.crt')
  await until(() => {
    assert.equal(proxy.child.exitCode, null, proxy.error())
    return existsSync(authority)
  }, 30_000)
  return { proxy, trusting: { ...environment, CURL_CA_BUNDLE: authority } }
}

test('behind the proxy of compose.yaml the container delivers the README’s first event over TLS, and keeps it over a new container', async () => {
  const [port, https] = [await freePort(), await freePort()]
  const origin = `https://localhost:${https}`
  const { proxy, trusting } = await startProxy(port, https)
  const first = runImage('first', port, origin)
  const welcome: Welcome = await welcomeOf(first)
  assert.equal(welcome.origin, origin)
  await deliverReadmeEvent(welcome, trusting)
  assert.match(await codeWalls(welcome, trusting), /^ok: no files, no network, no new privileges/)
  await podman('healthcheck', 'run', 'first')

  const curl = (url: string, ...words: string[]) =>
    run('curl', ['-sS', '-o', join(folder, 'body'), '-w', '%{http_code}', ...words, url], { env: trusting })
  assert.equal((await curl(`${origin}/metrics`)).stdout, '404', 'metrics are for the operator’s network')
  const stranger = `shop.example.net:${https}:127.0.0.1`
  await assert.rejects(
    curl(`https://shop.example.net:${https}/healthz`, '--resolve', stranger),
    /SSL|TLS/i,
    'no certificate for a name that no tag has',
  )

  await podman('stop', '--time', '40', 'first')
  await first.ended
  const second = runImage('second', port, origin)
  await until(() => /is running/.test(second.out()), 60_000)
  await readReadmeEvent(welcome, trusting)
  await podman('stop', '--time', '40', 'second')
  await second.ended
  await stop(proxy)
})

test('a container that listens on every address asks for the origin that callers see', async () => {
  const alone = spawn('podman', [
    ...store,
    '--runtime',
    'runc',
    'run',
    '--rm',
    '--network',
    'none',
    ...limits,
    ...walls,
    image,
  ])
  let error = ''
  alone.stderr.on('data', (chunk) => {
    error += chunk
  })
  const code = await new Promise((resolve) => alone.on('close', resolve))
  assert.equal(code, 2, error)
  assert.match(error, /AGLET_ORIGIN/)
})
