import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '#cli/operatorCall.ts'
import { importLimits } from '#import/importResult.ts'

/** Reads a file of an export. Throws UsageError for one that is not there or too large to be an export. */
export function readExportFile(path: string, folder: string): Uint8Array {
  const full = resolve(folder, path)
  try {
    const { size } = lstatSync(full)
    if (size > importLimits.bytes)
      throw new UsageError(
        `${path} has ${Math.ceil(size / 1e6)} MB; at most ${importLimits.bytes / 1e6} MB are read. Export one container or workspace only.`,
      )
    return readFileSync(full)
  } catch (problem) {
    if (problem instanceof UsageError) throw problem
    throw new UsageError(`${path} cannot be read: give the path of the exported file.`)
  }
}

const exportFile = /\.(?:tf|json)$/
const mostFiles = 5_000

/** The files of an export by their paths: one file, or the `.tf` and `.json` files of a folder and its subfolders. */
export function readExportFolder(path: string, folder: string): ReadonlyMap<string, Uint8Array> {
  const full = resolve(folder, path)
  if (!existsSync(full) || !lstatSync(full).isDirectory()) return new Map([[path, readExportFile(path, folder)]])
  const names = readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => exportFile.test(name))
    .sort()
  if (names.length === 0) throw new UsageError(`${path} has no .tf and no .json file.`)
  if (names.length > mostFiles)
    throw new UsageError(`${path} has ${names.length} files; at most ${mostFiles} are read.`)
  let bytes = 0
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const content = readExportFile(join(full, name), folder)
    bytes += content.length
    if (bytes > importLimits.bytes)
      throw new UsageError(`${path} has more than ${importLimits.bytes / 1e6} MB of .tf and .json files.`)
    files.set(name, content)
  }
  return files
}

export type OutputFile = { path: string; text: string; isSecret?: true }

/**
 * Writes all files or none: each is written beside its place and then renamed. Throws UsageError for a file that is
 * there already.
 */
export function writeOutputs(
  outputs: readonly OutputFile[],
  { folder, force }: { folder: string; force: boolean },
): void {
  const files = outputs.map((each) => ({
    ...each,
    full: resolve(folder, each.path),
    temporary: `${resolve(folder, each.path)}.${process.pid}.part`,
  }))
  const taken = files.find(({ full }) => existsSync(full))
  if (taken && !force) throw new UsageError(`${taken.path} exists: name another file, or write --force to replace it.`)
  try {
    for (const { temporary, text, isSecret } of files)
      writeFileSync(temporary, text, { flag: 'wx', mode: isSecret ? 0o600 : 0o666 })
    for (const { temporary, full } of files) renameSync(temporary, full)
  } catch (problem) {
    throw new UsageError(
      `The files cannot be written (${(problem as NodeJS.ErrnoException).code}): choose another folder.`,
    )
  } finally {
    for (const { temporary } of files) rmSync(temporary, { force: true })
  }
}
