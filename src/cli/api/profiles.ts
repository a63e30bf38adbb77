import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { EnvironmentName } from '#contract/me.ts'

/** What `aglet login` kept for one environment. */
export type Kept = { baseUrl: string; token: string; team: string }
export type Profiles = Record<string, Partial<Record<EnvironmentName, Kept>>>

type Env = Readonly<Record<string, string | undefined>>

/** `$XDG_CONFIG_HOME/aglet/profiles.json`, below `~/.config` where that is not set. */
export function profilesFile(env: Env): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(home, 'aglet', 'profiles.json')
}

/** The profiles that are kept; none where there is no file. Throws a sentence where it is not as it was written. */
export function readProfiles(env: Env): Profiles {
  const path = profilesFile(env)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Profiles
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`The profiles in ${path} cannot be read: mend the file, or take it away and log in again.`)
  }
}

/** Written beside and moved: the file holds tokens, and is never half there nor open to others. */
function writeProfiles(profiles: Profiles, env: Env): void {
  const path = profilesFile(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(beside, path)
}

export function keepProfile(name: string, environment: EnvironmentName, kept: Kept, env: Env): void {
  const profiles = readProfiles(env)
  writeProfiles({ ...profiles, [name]: { ...profiles[name], [environment]: kept } }, env)
}

/** Forgets one environment of a profile; false where it was not kept. */
export function dropProfile(name: string, environment: EnvironmentName, env: Env): boolean {
  const profiles = readProfiles(env)
  const { [environment]: dropped, ...rest } = profiles[name] ?? {}
  if (!dropped) return false
  const { [name]: _, ...others } = profiles
  writeProfiles(Object.keys(rest).length > 0 ? { ...others, [name]: rest } : others, env)
  return true
}
