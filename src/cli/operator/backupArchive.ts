import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { create, extract, list } from 'tar'
import { type Static, Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import { syncPath } from '#kit/copyDatabase.ts'

/** The manifest of a backup, the first file of its tar: size and SHA-256 of each file. */
const Contents = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  at: Type.String(),
  files: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer(), sha256: Type.String() })),
})
type Contents = Static<typeof Contents>

const manifestFile = 'aglet-backup.json'
const allowedNames = /^(root\.key(\.next)?|(production|sandbox)\/((store|stream)\.db|stream\.log\/\d{12}\.seg))$/
const checkManifest = compileValidator(Contents)

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const describeFile = async (path: string) => ({ bytes: (await stat(path)).size, sha256: await sha256Of(path) })

/** Packs files of a folder and their manifest into one tar. The tar is synced to disk when this resolves. */
export async function writeArchive(
  file: string,
  folder: string,
  names: readonly string[],
  about: Pick<Contents, 'version' | 'at'>,
): Promise<void> {
  const files = await Promise.all(names.map(async (name) => [name, await describeFile(join(folder, name))] as const))
  const contents: Contents = { format: 1, ...about, files: Object.fromEntries(files) }
  await writeFile(join(folder, manifestFile), `${JSON.stringify(contents, undefined, 2)}\n`)
  await create({ file, cwd: folder, portable: true, mode: 0o600 }, [manifestFile, ...names])
  await chmod(file, 0o600)
  await syncPath(file)
}

const invalidBackup = (file: string, reason: string) => new Error(`${file} is not a complete Aglet backup: ${reason}.`)

function parseManifest(file: string, text: string): Contents {
  let contents: Contents | undefined
  try {
    contents = JSON.parse(text)
  } catch {} // undefined is refused below
  if (contents === undefined || checkManifest(contents).length > 0)
    throw invalidBackup(file, `the format of its ${manifestFile} is not supported`)
  const unexpected = Object.keys(contents.files).find((name) => !allowedNames.test(name))
  if (unexpected) throw invalidBackup(file, `it contains ${JSON.stringify(unexpected)}`)
  return contents
}

/**
 * Reads the whole archive before writing any of it: an extraction that fails half way would still write files while its
 * folder is deleted. A backup contains only files: a link could lead out of the folder.
 */
async function refuseHostile(file: string): Promise<void> {
  const names = new Set<string>()
  let problem: string | undefined
  await list({
    file,
    strict: true,
    onReadEntry({ path, type }) {
      const name = path === manifestFile || allowedNames.test(path) ? path : undefined
      if (name === undefined || type !== 'File' || names.has(name))
        problem ??= `it contains ${JSON.stringify(path.slice(0, 100))}`
      else names.add(name)
    },
  })
  if (problem) throw new Error(problem)
}

/** Unpacks a backup into an empty folder. Throws an Error if a file is missing or does not match the manifest. */
export async function extractArchive(file: string, folder: string): Promise<Contents> {
  await stat(file).catch(() => {
    throw new Error(`${file} cannot be read. Write the path of a backup.`)
  })
  try {
    await refuseHostile(file)
    await extract({ file, cwd: folder, strict: true })
  } catch (problem) {
    throw invalidBackup(file, problem instanceof Error ? problem.message : 'it cannot be extracted')
  }
  const text = await readFile(join(folder, manifestFile), 'utf8').catch(() => undefined)
  if (text === undefined) throw invalidBackup(file, `it has no ${manifestFile}`)
  const contents = parseManifest(file, text)
  for (const [name, wanted] of Object.entries(contents.files)) {
    const found = await describeFile(join(folder, name)).catch(() => undefined)
    if (found?.sha256 !== wanted.sha256 || found.bytes !== wanted.bytes)
      throw invalidBackup(file, `${name} is ${found ? 'damaged' : 'missing'}`)
  }
  return contents
}
