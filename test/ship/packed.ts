import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment, root, run } from './firstEvent.ts'

export type Packed = { size: number; files: { path: string; size: number; mode: number }[] }

/** The files in git, and new files that are not ignored. */
export async function gitFiles(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(root, file)))
}

/**
 * The tarball of `npm pack`, and npm's report. Packing rebuilds everything, so it runs once for the same files, and in a
 * copy, because other suites read the builds of this folder.
 */
export async function packOnce(): Promise<{ tarball: string; packed: Packed }> {
  const files = await gitFiles()
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  const kept = join(root, 'node_modules/.cache/aglet/packed', hash.digest('hex').slice(0, 16))
  const answer = { tarball: join(kept, 'aglet.tgz'), about: join(kept, 'about.json') }
  if (!existsSync(kept)) await pack(files, kept)
  return { tarball: answer.tarball, packed: JSON.parse(readFileSync(answer.about, 'utf8')) as Packed }
}

async function pack(files: readonly string[], kept: string): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'aglet-pack-'))
  try {
    for (const file of files) cpSync(join(root, file), join(copy, file))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const { stdout } = await run('npm', ['pack', '--json'], { cwd: copy, env: environment, maxBuffer: 2 ** 26 })
    // npm 12 returns an object by name, npm 11 a list
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed & { filename: string }>)
    const half = `${kept}.${process.pid}`
    mkdirSync(half, { recursive: true })
    cpSync(join(copy, packed!.filename), join(half, 'aglet.tgz'))
    writeFileSync(join(half, 'about.json'), JSON.stringify(packed))
    renameSync(half, kept)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
