import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'
import { readComposeFile, restrictionWords } from '../fake/composeFile.ts'
import {
  deliverReadmeEvent,
  environment,
  readReadmeEvent,
  root,
  run,
  sandboxState,
  start,
  stop,
  type Welcome,
  welcomeOf,
} from './firstEvent.ts'
import { certificates, downloadsMount, limitWords, openMachine, writeNpmrc } from './machine.ts'

/** Builds deploy/Containerfile and runs it behind deploy/Caddyfile. `npm run test:container` installs the tools. */
const image = 'localhost/aglet'
const maxImageBytes = 260e6

const machine = await openMachine()
const { folder, podman, podmanWords } = machine

before(async () => {
  const secret = `id=npmrc,src=${await writeNpmrc(machine)}`
  const volumes = ['--volume', `${certificates}:${certificates}:ro`, '--volume', await downloadsMount()]
  await machine.build(image, '--secret', secret, ...volumes, '-f', 'deploy/Containerfile', '.')
})

test('the image is at most 260 MB, runs as user 10001, and holds no package of the build', async (t) => {
  const [{ Size, Config }] = JSON.parse(await podman('inspect', image))
  t.diagnostic(`${Math.round(Size / 1e6)} MB`)
  assert.ok(Size <= maxImageBytes, `${Size} bytes`)
  assert.equal(Config.User, '10001:10001')
  const listed = await podman(
    'run',
    '--rm',
    '--network',
    'none',
    ...limitWords,
    '--entrypoint',
    'ls',
    image,
    '/usr/local/lib/aglet/node_modules',
  )
  for (const name of ['esbuild', 'swagger-ui-dist', 'typescript', 'aglet-build'])
    assert.ok(!listed.split('\n').includes(name), name)
})

const restrictions = restrictionWords(readComposeFile().services.aglet)

function runImage(name: string, port: number, origin: string) {
  const settings = Object.entries({
    AGLET_HOST: '127.0.0.1',
    AGLET_PORT: `${port}`,
    AGLET_ORIGIN: origin,
    AGLET_TRUST_PROXY: '127.0.0.1',
  }).flatMap(([variable, value]) => ['--env', `${variable}=${value}`])
  const words = ['--rm', '--name', name, '--network', 'host', '--volume', 'data:/var/lib/aglet']
  return start(['podman', ...podmanWords, 'run', ...words, ...limitWords, ...restrictions, ...settings, image], {
    cwd: folder,
  })
}

/** Starts Caddy with the file of compose.yaml, on unprivileged ports and with a local certificate authority. */
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

test('behind the proxy of compose.yaml the container delivers the README’s first event over TLS, and a new container still has it', async () => {
  const [port, https] = [await freePort(), await freePort()]
  const origin = `https://localhost:${https}`
  const { proxy, trusting } = await startProxy(port, https)
  const first = runImage('first', port, origin)
  const welcome: Welcome = await welcomeOf(first)
  assert.equal(welcome.origin, origin)
  await deliverReadmeEvent(welcome, trusting)
  assert.match(await sandboxState(welcome, trusting), /^ok: no files, no network, no new privileges/)
  await podman('healthcheck', 'run', 'first')

  const curl = (url: string, ...words: string[]) =>
    run('curl', ['-sS', '-o', join(folder, 'body'), '-w', '%{http_code}', ...words, url], { env: trusting })
  assert.equal((await curl(`${origin}/metrics`)).stdout, '404', 'metrics are not public')
  const stranger = `shop.example.net:${https}:127.0.0.1`
  await assert.rejects(
    curl(`https://shop.example.net:${https}/healthz`, '--resolve', stranger),
    /SSL|TLS/i,
    'no certificate for the name of no tag',
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

test('a container without AGLET_ORIGIN exits with 2 and names the setting', async () => {
  const alone = spawn('podman', [
    ...podmanWords,
    'run',
    '--rm',
    '--network',
    'none',
    ...limitWords,
    ...restrictions,
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
