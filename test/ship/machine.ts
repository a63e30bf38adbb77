import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { environment, root, run } from './firstEvent.ts'
import { npmDownloads, npmSetting } from './npm.ts'

/**
 * Images and containers for tests, in a separate store. Uses no image registry: builds the two base images from Debian's
 * packages, under the names of the official ones. Needs root, buildah, podman, runc and mmdebstrap.
 */
export type Machine = {
  folder: string
  /** Arguments that select the store, for tests that start podman themselves. */
  podmanWords: readonly string[]
  podman(...words: string[]): Promise<string>
  build(image: string, ...words: string[]): Promise<void>
}

export const debianImage = 'docker.io/library/debian:bookworm-slim'
export const nodeImage = 'docker.io/library/node:24-bookworm-slim'

/** Limits for machines whose own limits are lower than podman's defaults. */
export const limitWords = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']

const dayMs = 86_400_000
/** The base image, rebuilt after a day. */
const base = join(root, 'node_modules/.cache/aglet/bookworm.tar')
/** A temporary folder in memory, because dpkg syncs each file that it unpacks. */
const inMemory = existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {}

const call = async (program: string, ...words: string[]): Promise<string> => {
  const options = { cwd: root, env: { ...environment, ...inMemory }, maxBuffer: 2 ** 26 }
  return (await run(program, words, options)).stdout
}

/** Builds a system like Debian's official slim image: the smallest with apt, without manuals and translations. */
async function makeBase(): Promise<void> {
  if (existsSync(base) && Date.now() - statSync(base).mtimeMs < dayMs) return
  const left = ['doc', 'man', 'info', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  const merged = ['--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr', '--include=usr-is-merged']
  const half = `${base}.${process.pid}`
  mkdirSync(dirname(base), { recursive: true })
  await call('mmdebstrap', '--format=tar', '--variant=minbase', ...merged, ...left, 'bookworm', half)
  renameSync(half, base)
}

/** Builds the part of Node's official image that the Containerfile uses: `node` and `npm`. */
async function makeNode({ folder, build }: Machine): Promise<void> {
  const context = join(folder, 'node')
  mkdirSync(context)
  cpSync(process.execPath, join(context, 'node'))
  cpSync(dirname(dirname(realpathSync(process.env.npm_execpath!))), join(context, 'npm'), { recursive: true })
  const lines = [
    `FROM ${debianImage}`,
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
  ]
  writeFileSync(join(context, 'Containerfile'), lines.join('\n'))
  await build(nodeImage, context)
}

/** The trusted certificates of this machine, mounted into containers. */
export const certificates = '/etc/ssl/certs'

/** Writes an .npmrc with this machine's registry and certificate authority, for containers. Returns its path. */
export async function writeNpmrc({ folder }: Machine): Promise<string> {
  const path = join(folder, 'npmrc')
  const [registry, cafile] = [await npmSetting('registry'), await npmSetting('cafile')]
  const authorities = cafile ?? process.env.NODE_EXTRA_CA_CERTS
  const lines = ['prefer-offline=true', registry && `registry=${registry}`, authorities && `cafile=${authorities}`]
  writeFileSync(path, lines.map((line) => (line ? `${line}\n` : '')).join(''))
  return path
}

/** Mounts what this machine's npm has downloaded into a container; npm checks the hash of each package. */
export const downloadsMount = async () => `${await npmDownloads()}:/root/.npm/_cacache`

/** Opens a store with the two base images. It is deleted with its containers at the end, by default after the file's tests. */
export async function openMachine(onEnd: (work: () => Promise<void>) => void = after): Promise<Machine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'aglet-machine-')))
  const store = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run')]
  const podmanWords = [...store, '--runtime', 'runc']
  const podman = (...words: string[]) => call('podman', ...podmanWords, ...words)
  const isolated = ['--isolation', 'chroot', '--format', 'docker']
  const machine: Machine = {
    folder,
    podmanWords,
    podman,
    build: async (image, ...words) => void (await call('buildah', ...store, 'bud', ...isolated, '-t', image, ...words)),
  }
  onEnd(async () => {
    await podman('rm', '--all', '--force', '--time', '0').catch(() => {})
    await call('umount', join(folder, 'store/overlay')).catch(() => {}) // podman leaves its storage mounted on itself
    rmSync(folder, { recursive: true, force: true })
  })
  await makeBase()
  await podman('import', base, debianImage)
  await makeNode(machine)
  return machine
}
