import { cpSync, createReadStream, createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { create } from 'tar'
import { openMachine, writeNpmrc } from '../../test/ship/machine.ts'
import { buildSite } from '../site/buildSite.ts'
import { type NotAffected, vexOf } from './statements.ts'
import notAffected from './vex.json' with { type: 'json' }

/** The inputs of an artefact: the release's checkout, and its output folder. */
export type Release = {
  version: string
  root: string
  out: string
  startedOn: string
  /** Runs a program in the checkout, and returns its output. */
  run(program: string, ...words: string[]): string
  /** Registers work for when the release is finished or has failed. */
  onEnd(work: () => Promise<void>): void
}

type Artefact = {
  /** The name in `--without`. */
  kind: 'package' | 'image' | 'chart' | 'units' | 'docs' | 'bill' | 'vex'
  fileOf(version: string): string
  /** Writes the file; false if there is no content. */
  write(release: Release, file: string): Promise<unknown>
}

const archive = (file: string, cwd: string, names: string[]) =>
  create({ file, cwd, gzip: { level: 9 }, portable: true, mtime: new Date(0) }, names)

/** The image, built on Debian's packages and Node's npm package, without any image registry. */
async function writeImage({ version, out, onEnd }: Release, file: string): Promise<void> {
  const machine = await openMachine(onEnd)
  const image = `localhost/aglet:${version}`
  const secret = `id=npmrc,src=${await writeNpmrc(machine)}`
  const trusted = '/etc/ssl/certs:/etc/ssl/certs:ro'
  await machine.build(image, '--secret', secret, '--volume', trusted, '-f', 'deploy/Containerfile', '.')
  const plain = join(out, 'image.tar')
  await machine.podman('save', '--format', 'docker-archive', '--output', plain, image)
  await pipeline(createReadStream(plain), createGzip({ level: 6 }), createWriteStream(file))
  rmSync(plain)
}

async function writeSite({ root, out, version }: Release, file: string): Promise<void> {
  const folder = join(out, 'site')
  await buildSite({ docs: join(root, 'docs'), out: folder, version, contact: process.env.AGLET_SECURITY_CONTACT })
  await archive(file, out, ['site'])
  rmSync(folder, { recursive: true })
}

async function writeUnits({ root, out }: Release, file: string): Promise<void> {
  const folder = join(out, 'units')
  mkdirSync(folder)
  const names = ['aglet.service', 'aglet@.service']
  for (const name of names) cpSync(join(root, 'deploy', name), join(folder, name))
  await archive(file, folder, names)
  rmSync(folder, { recursive: true })
}

async function writeVex({ version, startedOn }: Release, file: string): Promise<boolean> {
  const vex = vexOf(version, notAffected as NotAffected[], startedOn)
  if (vex) writeFileSync(file, JSON.stringify(vex, undefined, 2))
  return vex !== undefined
}

const billWords = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--workspaces=false']

/** All artefacts of a release. */
export const artefacts: readonly Artefact[] = [
  {
    kind: 'package',
    fileOf: (version) => `aglet-${version}.tgz`,
    write: async ({ run, out }) => run('npm', 'pack', '--silent', '--pack-destination', out),
  },
  {
    kind: 'image',
    fileOf: (version) => `aglet-${version}-image-${process.arch === 'x64' ? 'amd64' : process.arch}.tar.gz`,
    write: writeImage,
  },
  {
    kind: 'chart',
    fileOf: (version) => `aglet-${version}-chart.tgz`,
    write: ({ root }, file) => archive(file, join(root, 'deploy/helm'), ['aglet']),
  },
  { kind: 'units', fileOf: (version) => `aglet-${version}-units.tgz`, write: writeUnits },
  { kind: 'docs', fileOf: (version) => `aglet-${version}-docs.tgz`, write: writeSite },
  {
    kind: 'bill',
    fileOf: (version) => `aglet-${version}.cdx.json`,
    write: async ({ run }, file) => writeFileSync(file, run('npm', 'sbom', ...billWords, '--package-lock-only')),
  },
  { kind: 'vex', fileOf: (version) => `aglet-${version}.vex.json`, write: writeVex },
]
