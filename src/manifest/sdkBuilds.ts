import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageFolder } from '#kit/ownFiles.ts'

/**
 * One build of the browser SDK: the core as a plain script, the core that waits for a consent where the tag says so, and
 * the modules by provider id. Versions from before that setting have one core, and older ones no build for previews.
 */
export type SdkBuild = {
  version: string
  core: string
  gatedCore: string
  /** The whole SDK for a page with a preview. */
  preview?: string
  modules: ReadonlyMap<string, string>
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
    const modules = globSync('modules/*.js', { cwd: at }).map(
      (file) => [basename(file, '.js'), readText(at, file)] as const,
    )
    const core = readText(at, 'aglet.js')
    const gatedCore = existsSync(join(at, gatedFile)) ? readText(at, gatedFile) : core
    const preview = existsSync(join(at, previewFile)) ? { preview: readText(at, previewFile) } : {}
    return { version, core, gatedCore, ...preview, modules: new Map(modules) }
  })

const gatedFile = 'aglet.gated.js'
const previewFile = 'aglet.preview.js'

const readText = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')
