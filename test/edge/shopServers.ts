import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { freePort, until } from '../fake/aglet.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/same-origin.md'), 'utf8')

/** The code block below a heading of the page. */
export function textBelow(heading: string): string {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  const block = /^```\w*\n([\s\S]*?)^```$/m.exec(section ?? '')?.[1]
  assert.ok(block, `${heading} has no text`)
  return block
}

/** `text`: the code block with the tag and the address of Aglet. `shop`: host and port of the shop's own pages. */
type Place = { text: string; folder: string; port: number; shop: string }
type ShopServer = { program: string; config(place: Place): string; args(config: string, place: Place): string[] }

const isRoot = process.getuid?.() === 0

const haproxyConfig = ({ text, port, shop }: Place) => {
  const [rule, backend] = text.split('\n\n')
  const times = 'timeout connect 5s\n\ttimeout client 30s\n\ttimeout server 30s'
  const front = `frontend shop\n\tbind 127.0.0.1:${port}\n${rule}\n\tdefault_backend pages`
  return `defaults\n\tmode http\n\t${times}\n\n${front}\n\nbackend pages\n\tserver pages ${shop}\n\n${backend}\n`
}

const apacheModules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers']

export const shopServers: Readonly<Record<string, ShopServer>> = {
  nginx: {
    program: '/usr/sbin/nginx',
    args: (config) => ['-c', config],
    config({ text, folder, port, shop }) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${join(folder, name)};`)
        .join('\n')
      const top = `${isRoot ? 'user root;\n' : ''}daemon off;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'errors')};`
      const pages = `location / { proxy_pass http://${shop}; }`
      return `${top}\nevents {}\nhttp {\naccess_log off;\n${temporary}\nserver {\nlisten 127.0.0.1:${port};\n${pages}\n${text}}\n}\n`
    },
  },
  Apache: {
    program: '/usr/sbin/apache2',
    args: (config) => ['-D', 'FOREGROUND', '-f', config],
    config({ text, folder, port, shop }) {
      const modules = apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
      const files = `PidFile ${join(folder, 'pid')}\nDefaultRuntimeDir ${folder}\nErrorLog ${join(folder, 'errors')}`
      const user = isRoot ? 'User www-data\nGroup www-data' : ''
      const server = `ServerRoot ${folder}\nServerName localhost\nListen 127.0.0.1:${port}`
      return `${modules.join('\n')}\n${server}\n${files}\n${user}\n${text}\nProxyPass "/" "http://${shop}/"\n`
    },
  },
  Caddy: {
    program: '/usr/bin/caddy',
    args: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
    config: ({ text, port, shop }) =>
      `{\n\tadmin off\n\tauto_https off\n}\n\nhttp://:${port} {\n\tbind 127.0.0.1\n${text}\n\treverse_proxy ${shop}\n}\n`,
  },
  HAProxy: { program: '/usr/sbin/haproxy', args: (config) => ['-f', config], config: haproxyConfig },
  Varnish: {
    program: '/usr/sbin/varnishd',
    args: (config, { folder, port }) => [
      ...['-F', '-f', config, '-a', `127.0.0.1:${port}`, '-n', join(folder, 'work'), '-s', 'malloc,16m'],
      ...['-j', 'none', '-T', 'none'],
    ],
    config({ text, shop }) {
      const [host, port] = shop.split(':')
      return `vcl 4.1;\n\nbackend pages {\n\t.host = "${host}";\n\t.port = "${port}";\n}\n\n${text}`
    },
  },
}

export const isHere = ({ program }: ShopServer) => existsSync(program) || Boolean(process.env.NEEDS_PROXIES)

/** Starts a shop's web server with the code block of the page. Returns its port. */
export async function startShopServer(
  name: string,
  { tagId, aglet, shop }: { tagId: string; aglet: number; shop: string },
) {
  const { program, args, config } = shopServers[name]!
  const folder = mkdtempSync(join(tmpdir(), 'aglet-shop-'))
  mkdirSync(join(folder, 'work'))
  const port = await freePort()
  const text = textBelow(name)
    .replaceAll('tag_YOURS', tagId)
    .replaceAll('127.0.0.1:4000', `127.0.0.1:${aglet}`)
    .replaceAll('"4000"', `"${aglet}"`)
  const place = { text, folder, port, shop }
  const file = join(folder, 'config')
  writeFileSync(file, config(place))
  const child = spawn(program, args(file, place), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
  })
  after(async () => {
    const ended = child.exitCode === null && once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const answers = () =>
    new Promise<boolean>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/', agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      }).on('error', () => resolve(false))
    })
  await until(async () => {
    assert.equal(child.exitCode, null, `${name}: ${errors}`)
    return answers()
  })
  return port
}
