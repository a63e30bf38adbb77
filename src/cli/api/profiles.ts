import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { EnvironmentName } from '#contract/me.ts'

/** The connection that `aglet login` stored for one environment. */
type StoredConnection = { baseUrl: string; token: string; team: string }
type StoredProfiles = Record<string, Partial<Record<EnvironmentName, StoredConnection>>>

type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** `$XDG_CONFIG_HOME/aglet/profiles.json`, or below `~/.config` if the variable is not set. */
export function profilesPath(env: EnvironmentVariables): string {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
  return join(home, 'aglet', 'profiles.json')
}

/** The stored profiles; empty without a file. Throws an Error that names the file if it cannot be parsed. */
export function readProfiles(env: EnvironmentVariables): StoredProfiles {
  const path = profilesPath(env)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredProfiles
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`The profiles in ${path} cannot be read. Repair the file, or delete it and log in again.`)
  }
}

/** Replaces the file atomically. It holds tokens, so only its user may read it. */
function writeProfiles(profiles: StoredProfiles, env: EnvironmentVariables): void {
  const path = profilesPath(env)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
}

export function saveProfile(
  name: string,
  environment: EnvironmentName,
  connection: StoredConnection,
  env: EnvironmentVariables,
): void {
  const profiles = readProfiles(env)
  writeProfiles({ ...profiles, [name]: { ...profiles[name], [environment]: connection } }, env)
}

/** Deletes one environment of a profile; false if it was not stored. */
export function deleteProfile(name: string, environment: EnvironmentName, env: EnvironmentVariables): boolean {
  const profiles = readProfiles(env)
  const { [environment]: deleted, ...rest } = profiles[name] ?? {}
  if (!deleted) return false
  const { [name]: _, ...others } = profiles
  writeProfiles(Object.keys(rest).length > 0 ? { ...others, [name]: rest } : others, env)
  return true
}
