import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildWooPlugin } from '../../scripts/woocommerce.ts'
import { until } from '../fake/aglet.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

/** Debian's WordPress package, unpacked once: installing it would install a web server. */
function findWordPress(): string {
  const cache = join(root, 'node_modules/.cache/aglet/wordpress')
  const found = join(cache, 'usr/share/wordpress')
  if (existsSync(join(found, 'wp-load.php'))) return found
  mkdirSync(cache, { recursive: true })
  execFileSync('apt-get', ['download', 'wordpress'], { cwd: cache, stdio: 'ignore' })
  const file = readdirSync(cache).find((name) => name.endsWith('.deb'))!
  execFileSync('dpkg-deb', ['-x', file, cache], { cwd: cache })
  return found
}

export type WordPress = { step<Answer>(name: string, input?: object): Promise<Answer>; close(): Promise<void> }

/** A real WordPress on a real MariaDB, with a fake WooCommerce and our plug-in, unpacked from its zip. */
export async function openWordPress(): Promise<WordPress> {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-wordpress-'))
  const data = join(folder, 'database')
  const socket = join(folder, 'db.sock')
  await run('mariadb-install-db', [
    '--user=root',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ])
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      '--user=root',
      `--datadir=${data}`,
      `--socket=${socket}`,
      '--skip-networking',
      `--pid-file=${join(folder, 'db.pid')}`,
      '--innodb-flush-log-at-trx-commit=0',
    ],
    { stdio: 'ignore' },
  )
  const sql = (text: string) => run('mariadb', ['--no-defaults', `--socket=${socket}`, '-uroot', '-e', text])
  await until(() =>
    sql('SELECT 1').then(
      () => true,
      () => false,
    ),
  )
  await sql('CREATE DATABASE wordpress')
  const wp = join(folder, 'wp')
  cpSync(findWordPress(), wp, {
    recursive: true,
    dereference: false,
    filter: (path) => !/wp-content\/(languages|themes)$|wp-config\.php$/.test(path),
  })
  const config = {
    DB_NAME: 'wordpress',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    DB_COLLATE: '',
  }
  const defined = Object.entries(config).map(([name, value]) => `define('${name}', '${value}');`)
  const content = join(wp, 'wp-content')
  writeFileSync(
    join(wp, 'wp-config.php'),
    `<?php ${defined.join(' ')} define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_ACCESSIBLE_HOSTS', '127.0.0.1'); define('DISABLE_WP_CRON', true); define('WP_CONTENT_DIR', '${content}'); define('WP_DEBUG', true); define('WP_DEBUG_DISPLAY', true); $table_prefix = 'wp_'; if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/'); require_once ABSPATH . 'wp-settings.php';`,
  )
  rmSync(join(content, 'plugins'), { recursive: true, force: true })
  mkdirSync(join(content, 'plugins/woocommerce'), { recursive: true })
  mkdirSync(join(content, 'themes'), { recursive: true })
  cpSync(join(import.meta.dirname, 'woocommerce-standin'), join(content, 'plugins/woocommerce'), { recursive: true })
  await run('unzip', ['-q', await buildWooPlugin(folder), '-d', join(content, 'plugins')])
  const step: WordPress['step'] = async (name, input = {}) => {
    const { stdout, stderr } = await run('php', [
      '-d',
      'display_errors=stderr',
      join(import.meta.dirname, 'scenario.php'),
      wp,
      name,
      JSON.stringify(input),
    ])
    const [before = '', answer] = stdout.split('\n@@')
    if (
      answer === undefined ||
      /aglet-for-woocommerce.*(Warning|Notice|Deprecated)|(Warning|Notice|Deprecated).*aglet-for-woocommerce/.test(
        before + stderr,
      )
    )
      throw new Error(`${name}: ${before} ${stderr}`)
    return JSON.parse(answer)
  }
  const close = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { step, close }
}
