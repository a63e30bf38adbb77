import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { artefacts, type Release } from './artefacts.ts'
import { publicPem, readReleaseKey, signText } from './signature.ts'
import { provenanceOf, type Subject } from './statements.ts'

/** Makes the release files in its own checkout, for scripts/release/release.ts, which passes the key on standard input. */
const root = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: { version: { type: 'string' }, out: { type: 'string' }, without: { type: 'string', default: '' } },
})
const { version = '', out = '' } = values
const startedOn = new Date().toISOString()
const run = (program: string, ...words: string[]) =>
  execFileSync(program, words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 2] })

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function subjectsOf(names: readonly string[]): Promise<Subject[]> {
  const subjects: Subject[] = []
  for (const name of names) subjects.push({ name, sha256: await sha256Of(join(out, name)) })
  return subjects
}

const ends: (() => Promise<void>)[] = []
const release: Release = { version, root, out, startedOn, run, onEnd: (work) => void ends.push(work) }

/** Writes each artefact that is not left out. Returns the file names. */
async function writeArtefacts(): Promise<string[]> {
  const without = values.without.split(',')
  const names: string[] = []
  for (const { kind, fileOf, write } of artefacts) {
    if (without.includes(kind)) continue
    process.stderr.write(`Making the ${kind}.\n`)
    const name = fileOf(version)
    await write(release, join(out, name))
    if (existsSync(join(out, name))) names.push(name)
  }
  return names
}

async function writeProvenance(names: readonly string[]): Promise<string> {
  const name = `aglet-${version}.provenance.json`
  const facts = {
    version,
    commit: run('git', 'rev-parse', 'HEAD').trim(),
    lockSha256: await sha256Of(join(root, 'package-lock.json')),
    node: process.versions.node,
    startedOn,
    finishedOn: new Date().toISOString(),
  }
  writeFileSync(join(out, name), JSON.stringify(provenanceOf(await subjectsOf(names), facts), undefined, 2))
  return name
}

try {
  mkdirSync(out, { recursive: true })
  const key = readReleaseKey(readFileSync(0, 'utf8'), process.env.AGLET_RELEASE_KEY_PASSWORD)
  const names = await writeArtefacts()
  names.push(await writeProvenance(names))
  const sums = (await subjectsOf(names)).map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
  writeFileSync(join(out, 'SHA256SUMS'), sums)
  writeFileSync(join(out, 'SHA256SUMS.sig'), signText(sums, key))
  writeFileSync(join(out, 'aglet-release.pub'), publicPem(key))
} finally {
  for (const end of ends.reverse()) await end()
}
