import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageFolder } from '#kit/ownFiles.ts'

/**
 * One build of the browser SDK: the core as a plain script, the core that waits for a consent if the tag requires it,
 * and the modules by provider id. Versions older than that setting have only one core, and still older ones no preview
 * build.
 */
export type SdkBuild = {
  version: string
  core: string
  gatedCore: string
  /** The whole SDK for a page with a preview. */
  preview?: string
  modules: ReadonlyMap<string, string>
  /** The adapters by name; older versions have none. */
  adapters: ReadonlyMap<string, string>
  /** The shared code of all adapters; loaded before them. */
  adapterBase: string
}

/** The output folder of scripts/bundle.ts. */
export const sdkFolder = join(packageFolder, 'dist/sdk')

/** The built versions, newest first; empty before the first run of the bundler. */
export function sdkVersions(folder: string): string[] {
  try {
    return (JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { versions: string[] }).versions
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export const readSdkBuilds = (folder: string): SdkBuild[] =>
  sdkVersions(folder).map((version) => {
    const at = join(folder, version)
    const textsIn = (folder: string) =>
      new Map(
        globSync(`${folder}/*.js`, { cwd: at }).map((file) => [basename(file, '.js'), readText(at, file)] as const),
      )
    const core = readText(at, 'aglet.js')
    const gatedCore = existsSync(join(at, gatedFile)) ? readText(at, gatedFile) : core
    const adapterBase = existsSync(join(at, adapterFile)) ? readText(at, adapterFile) : ''
    const preview = existsSync(join(at, previewFile)) ? { preview: readText(at, previewFile) } : {}
    const parts = { modules: textsIn('modules'), adapters: textsIn('adapters'), adapterBase }
    return { version, core, gatedCore, ...preview, ...parts }
  })

const gatedFile = 'aglet.gated.js'
const previewFile = 'aglet.preview.js'
const adapterFile = 'adapterBase.js'

const readText = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')
