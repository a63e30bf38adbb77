import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './firstEvent.ts'

/** A setting of the npm that runs this test; another Node first on the PATH would change npm's configuration file. */
export async function npmSetting(name: string): Promise<string | undefined> {
  const value = (await run('npm', ['config', 'get', name], { cwd: root })).stdout.trim()
  return ['', 'null', 'undefined'].includes(value) ? undefined : value
}

/** The folder of the packages that this machine's npm has downloaded. */
export async function npmDownloads(): Promise<string> {
  const downloads = join((await npmSetting('cache'))!, '_cacache')
  mkdirSync(downloads, { recursive: true })
  return downloads
}

/** Makes an npm cache without installed packages, which shares this machine's downloads. */
export async function makeNpmCache(cache: string): Promise<void> {
  mkdirSync(cache)
  symlinkSync(await npmDownloads(), join(cache, '_cacache'))
}
