import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** One build of the browser SDK: the core as a plain script, and its modules by their provider. */
export type SdkBuild = { version: string; core: string; modules: ReadonlyMap<string, string> }

/** Where scripts/bundle.ts puts what it builds. */
export const sdkFolder = join(import.meta.dirname, '../../dist/sdk')

/** The versions that were built here, the newest first; none where the bundler has not run. */
export function sdkVersions(folder: string): string[] {
  try {
    return (JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { versions: string[] }).versions
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export const readSdk = (folder: string): SdkBuild[] =>
  sdkVersions(folder).map((version) => {
    const at = join(folder, version)
    const modules = globSync('modules/*.js', { cwd: at }).map(
      (file) => [basename(file, '.js'), textAt(at, file)] as const,
    )
    return { version, core: textAt(at, 'aglet.js'), modules: new Map(modules) }
  })

const textAt = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8')
