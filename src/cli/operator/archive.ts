import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { create, extract } from 'tar'
import { check, type Static, Type } from '#contract/schema.ts'
import { sync } from '#kit/copy.ts'

/** What a backup says of itself, in the first file of its tar: which files it holds, and what they must be. */
const Contents = Type.Object({
  format: Type.Literal(1),
  version: Type.String(),
  at: Type.String(),
  files: Type.Record(Type.String(), Type.Object({ bytes: Type.Integer(), sha256: Type.String() })),
})
export type Contents = Static<typeof Contents>

const contentsFile = 'aglet-backup.json'
const mayHold = /^(root\.key(\.next)?|(production|sandbox)\/(store|stream)\.db)$/
const checkContents = check(Contents)

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const describe = async (path: string) => ({ bytes: (await stat(path)).size, sha256: await sha256Of(path) })

/** Packs files of a folder into one tar, with what they must be when they come out. On disk when this resolves. */
export async function packArchive(
  file: string,
  folder: string,
  names: readonly string[],
  about: Pick<Contents, 'version' | 'at'>,
): Promise<void> {
  const files = await Promise.all(names.map(async (name) => [name, await describe(join(folder, name))] as const))
  const contents: Contents = { format: 1, ...about, files: Object.fromEntries(files) }
  await writeFile(join(folder, contentsFile), `${JSON.stringify(contents, undefined, 2)}\n`)
  await create({ file, cwd: folder, portable: true, mode: 0o600 }, [contentsFile, ...names])
  await chmod(file, 0o600)
  await sync(file)
}

const notABackup = (file: string, why: string) => new Error(`${file} is no whole backup of Aglet: ${why}.`)

function readContents(file: string, text: string): Contents {
  const contents = JSON.parse(text) as Contents
  if (checkContents(contents).length > 0) throw notABackup(file, `its ${contentsFile} is of another format`)
  const strange = Object.keys(contents.files).find((name) => !mayHold.test(name))
  if (strange) throw notABackup(file, `it names ${JSON.stringify(strange)}`)
  return contents
}

/** Unpacks a backup into an empty folder. Throws a sentence unless every file is there and is what it was. */
export async function unpackArchive(file: string, folder: string): Promise<Contents> {
  await stat(file).catch(() => {
    throw new Error(`${file} cannot be read: write the path of a backup.`)
  })
  try {
    await extract({ file, cwd: folder, strict: true, filter: (name) => name === contentsFile || mayHold.test(name) })
  } catch (problem) {
    throw notABackup(file, problem instanceof Error ? problem.message : 'it does not unpack')
  }
  const text = await readFile(join(folder, contentsFile), 'utf8').catch(() => undefined)
  if (text === undefined) throw notABackup(file, `it has no ${contentsFile}`)
  const contents = readContents(file, text)
  for (const [name, wanted] of Object.entries(contents.files)) {
    const found = await describe(join(folder, name)).catch(() => undefined)
    if (found?.sha256 !== wanted.sha256 || found.bytes !== wanted.bytes)
      throw notABackup(file, `${name} is ${found ? 'damaged' : 'missing'}`)
  }
  return contents
}
