import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'

const packages = ['postgresql-15', 'patroni', 'etcd-server']
const noMainCluster = '/etc/postgresql-common/createcluster.conf'

export type ClusterPrograms = { patroni: string; etcd: string; postgresFolder: string; python: string }

const find = (name: string) =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin'].map((folder) => `${folder}/${name}`).find((path) => existsSync(path))

/** The programs of a cluster; undefined if one is missing. */
export function findPrograms(): ClusterPrograms | undefined {
  const versionOf = (path: string) => Number(/postgresql\/(\d+)\//.exec(path)?.[1] ?? 0)
  const folders = globSync('/usr/lib/postgresql/*/bin').filter((folder) => existsSync(`${folder}/initdb`))
  const newest = folders.filter((folder) => versionOf(folder) >= 15).sort((a, b) => versionOf(b) - versionOf(a))[0]
  const [patroni, etcd] = [find('patroni'), find('etcd')]
  if (!newest || !patroni || !etcd) return undefined
  return { patroni, etcd, postgresFolder: newest, python: '/usr/bin/python3' }
}

/** The command that installs missing packages. */
export const installCommand = `apt-get install --no-install-recommends ${packages.join(' ')}`

/**
 * Finds the programs, and installs them with apt as root. For other users, throws an Error with the command. Debian would
 * start its own database and etcd after the installation; neither is needed.
 */
export function ensurePrograms(say: (line: string) => void): ClusterPrograms {
  const found = findPrograms()
  if (found) return found
  if (process.getuid?.() !== 0) throw new Error(`Programs are missing. Install them as root: ${installCommand}`)
  if (spawnSync('apt-get', ['--version']).status !== 0)
    throw new Error('Install PostgreSQL 15 or newer, Patroni 3 or newer, and etcd: this system has no apt-get.')
  say(`Installing ${packages.join(', ')} …`)
  if (!existsSync(noMainCluster) && folderOfServers() === undefined) {
    mkdirSync('/etc/postgresql-common', { recursive: true })
    writeFileSync(noMainCluster, 'create_main_cluster = false\n')
  }
  const run = (...words: string[]) =>
    execFileSync('apt-get', words, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  run('update', '-qq')
  run('install', '-qq', '-y', '--no-install-recommends', ...packages)
  spawnSync('systemctl', ['disable', '--now', 'etcd'], { stdio: 'ignore' })
  const installed = findPrograms()
  if (!installed) throw new Error(`After "${installCommand}" programs are still missing.`)
  return installed
}

const folderOfServers = () => globSync('/usr/lib/postgresql/*/bin/initdb')[0]
